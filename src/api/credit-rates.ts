import { isRecord } from '../lib/json.ts'

/**
 * Credits that the service charges for a success (service description, part 8.1), by the names under which it publishes
 * the rates. Rates that are documented without a name stand with their operations.
 */
export const creditRates = {
  apiTwitterSearchPerRequest: 2,
  apiLinkedInSearchPerRequest: 4,
  apiLinkedInPostCommentsPerComment: 1,
  apiLinkedInPostReactionsPerReaction: 1,
} as const

export type CreditRateName = keyof typeof creditRates

/** The credits of a price, by the name of their rate. */
export function atRate<Rate extends CreditRateName>(rate: Rate) {
  return { credits: creditRates[rate], rate } as const
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

function at(value: unknown, name: string): Record<string, unknown> {
  const inner = isRecord(value) ? value[name] : undefined
  return isRecord(inner) ? inner : {}
}
