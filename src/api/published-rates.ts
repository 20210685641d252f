import { type CreditRateName, creditRates } from './credits.ts'
import { isRecord } from '../lib/is-record.ts'

/** A published credit rate that differs from the rate that this package assumes; null if it is not one number. */
export interface RateDifference {
  rate: CreditRateName
  assumed: number
  published: number | null
}

/**
 * The constants of the schemas that contain the rates. These schemas are found by their content, at least one
 * documented rate, because their names are not documented. A rate with contradicting values is omitted.
 */
export function publishedRates(description: unknown): Record<string, number> {
  const found = new Map<string, number>()
  for (const schema of Object.values(at(at(description, 'components'), 'schemas'))) {
    const constants = Object.entries(at(schema, 'properties')).flatMap(([name, property]) =>
      isRecord(property) && typeof property['const'] === 'number' ? [[name, property['const']] as const] : [],
    )
    if (!constants.some(([name]) => Object.hasOwn(creditRates, name))) continue
    for (const [name, rate] of constants)
      found.set(name, (found.get(name) ?? rate) === rate ? rate : Number.NaN)
  }
  return Object.fromEntries([...found].filter(([, rate]) => !Number.isNaN(rate)))
}

export function rateDifferences(rates: Record<string, number>): RateDifference[] {
  const assumed = Object.entries(creditRates) as [CreditRateName, number][]
  return assumed
    .map(([rate, assumed]) => ({ rate, assumed, published: rates[rate] ?? null }))
    .filter(({ assumed, published }) => assumed !== published)
}

function at(value: unknown, name: string): Record<string, unknown> {
  const inner = isRecord(value) ? value[name] : undefined
  return isRecord(inner) ? inner : {}
}
