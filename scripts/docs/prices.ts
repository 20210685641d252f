import type { Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { code, priceOf, table } from './words.ts'

/** A page with what each paid call costs in its section "Prices", if it has one. */
export function withPrices(page: string): string {
  const paid = (operations as readonly Operation[]).filter(({ price }) => price.kind !== 'free')
  const rows = paid.map(({ id, summary, price }) => [code(id), summary, priceOf(price)])
  const section = `\n${table(['Call', 'What it does', 'Price'], rows)}\n\nAll other calls are free.\n`
  return page.replace(/(?<=^## Prices\n)[^]*?(?=\n!\[|\n## )/m, section)
}
