import type { Operation, Paging } from '../../src/api/operation.ts'
import type { Price } from '../../src/api/price.ts'

/** The price of an operation, in words. */
export function priceOf(price: Price): string {
  if (price.kind === 'free') return 'free'
  if (price.kind === 'perRequest') return `${credits(price.credits)} per successful request`
  const bound =
    price.bound === null
      ? 'no documented bound'
      : `at most \`${price.bound.param}\`, ${price.bound.default} unless set`
  return `${credits(price.credits)} per item returned (${bound})`
}

function credits(count: number): string {
  return `${count} ${count === 1 ? 'credit' : 'credits'}`
}

/** How the client finds the next page. */
export function walkOf({ kind, param }: Paging, documented: boolean): string {
  const how = {
    cursor: `by \`${param}\`, until \`meta.hasMore\` is false`,
    untilEmpty: `by \`${param}\`, until a page is empty, which also costs credits`,
    counted: `by \`${param}\`, up to \`meta.pageCount\``,
  }[kind]
  return documented ? how : `${how}; inferred from the documented searches`
}

export function scopesOf({ scopes }: Operation): string {
  return scopes.length === 0 ? 'not documented' : scopes.map(code).join(' and ')
}

export function code(text: string | number): string {
  return `\`${text}\``
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export function uncapitalized(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

/** The text about one item, for a list of items. */
export function eachOf(text: string): string {
  return text === '' ? '' : `Each: ${uncapitalized(text)}`
}

/** A text as a sentence; empty text stays empty. */
export function sentence(text: string): string {
  return text === '' ? '' : `${capitalized(text)}${/[.)]$/.test(text) ? '' : '.'}`
}

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
