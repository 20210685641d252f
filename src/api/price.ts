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

/** What a success costs, in credits. */
export type Price =
  /** `isAssumed`: the user says so, and an answer may say otherwise. */
  | { readonly kind: 'free'; readonly isAssumed?: true }
  | {
      readonly kind: 'perRequest'
      readonly credits: number
      /** Name under which the service publishes the rate; null if that is not documented. */
      readonly rate: CreditRateName | null
    }
  | {
      readonly kind: 'perItem'
      /** For each item returned. */
      readonly credits: number
      readonly rate: CreditRateName | null
      /** The request field that bounds the items, the values that it takes, and its default; null if no bound is documented. */
      readonly bound: {
        readonly param: string
        readonly least: number
        readonly most: number
        readonly default: number
      } | null
    }

/** What bounds the items of an answer. */
export type ItemBound = NonNullable<Extract<Price, { kind: 'perItem' }>['bound']>

/** What bounds the items that it is for: null if the service documents no bound, undefined if it is not for items. */
export function boundOf(price: Price): ItemBound | null | undefined {
  return price.kind === 'perItem' ? price.bound : undefined
}

/**
 * Items to expect if neither the service nor the user names a bound. An assumption of this package: the documented
 * maximum of post comments.
 */
export const assumedItems = 1000

/**
 * The highest cost of one success in credits; null for a free operation. Where the service documents no bound, it is what is expected.
 *
 * @param params Of the request, which may bound the items.
 * @param expectedItems How many items the user expects. They lower no documented bound: more may come.
 */
export function worstCase(price: Price, params: object, expectedItems?: number): number | null {
  if (price.kind === 'free') return null
  if (price.kind === 'perRequest') return price.credits
  const { bound, credits } = price
  return credits * (bound === null ? (expectedItems ?? assumedItems) : mostItems(bound, params))
}

/** The most items that a request asks for: as many as the service ever sends, if it does not ask as documented. */
export function mostItems({ param, least, most, ...bound }: ItemBound, params: object): number {
  const { [param]: asked = bound.default } = params as Readonly<Record<string, unknown>>
  return Number.isSafeInteger(asked) && Number(asked) >= least ? Number(asked) : most
}

/**
 * The cost of a success in credits, as the answer states it, or else by its price; null if the body does not show it.
 *
 * @param body Parsed; undefined if it cannot be. @param itemsOf Finds its items; null if it has no list.
 */
export function costOf(price: Price, body: unknown, itemsOf: () => readonly unknown[] | null): number | null {
  if (price.kind === 'free' && !price.isAssumed) return 0
  const charged = (body as { meta?: { creditsCharged?: unknown } | null } | null | undefined)?.meta
    ?.creditsCharged
  if (charged !== undefined)
    return Number.isSafeInteger(charged) && Number(charged) >= 0 ? Number(charged) : null
  if (price.kind === 'free') return 0
  if (price.kind === 'perRequest') return price.credits
  const items = itemsOf()
  return items === null ? null : items.length * price.credits
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
