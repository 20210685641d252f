import { type CreditRateName, creditRates } from './credits.ts'
import { isRecord } from './is-record.ts'

/** A credit rate that this package assumes, and that is published differently, or not at all (null). */
export interface RateDifference {
  rate: CreditRateName
  assumed: number
  published: number | null
}

/**
 * The constants of the schema that has the rates. Its name is not documented, so it is known by what is in it: at least
 * one of the documented rates.
 */
export function publishedRates(description: unknown): Record<string, number> {
  for (const schema of Object.values(at(at(description, 'components'), 'schemas'))) {
    const constants = Object.entries(at(schema, 'properties')).flatMap(([name, property]) =>
      isRecord(property) && typeof property['const'] === 'number' ? [[name, property['const']] as const] : [],
    )
    if (constants.some(([name]) => Object.hasOwn(creditRates, name))) return Object.fromEntries(constants)
  }
  return {}
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
