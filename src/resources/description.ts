import { type CreditRateName, creditRates } from '../contract/credits.ts'
import { descriptionGet } from '../contract/description.ts'
import type { OpenRecord } from '../contract/open.ts'
import { operations } from '../contract/operations.ts'
import { ApiCall } from '../core/api-call.ts'
import type { Transport } from '../core/transport.ts'
import type { CallOptions } from '../options.ts'

/** What the service publishes of its credit rates, beside what this package assumes. */
export interface CreditRates {
  /** Every rate found in the description, by the name it is published under, in credits. */
  rates: Record<string, number>
  /** Rates that this package assumes and that are published differently, or not at all (null). */
  differences: { rate: CreditRateName; assumed: number; published: number | null }[]
  /** The published price of each operation whose rate is known by name, for the option `prices`. */
  prices: Record<string, number>
}

/** The service's description of itself, OpenAPI 3.1 (`GET /openapi.json`). Free. */
export function openapi(transport: Transport, options?: CallOptions): ApiCall<OpenRecord> {
  return new ApiCall(transport.request(descriptionGet, {}, options))
}

/** Reads the credit rates from the service's description of itself. */
export async function readCreditRates(transport: Transport, options?: CallOptions): Promise<CreditRates> {
  const rates = publishedRates(await openapi(transport, options))
  const assumed = Object.entries(creditRates) as [CreditRateName, number][]
  const differences = assumed
    .map(([rate, assumed]) => ({ rate, assumed, published: rates[rate] ?? null }))
    .filter(({ assumed, published }) => assumed !== published)
  const prices = operations.flatMap(({ id, price }) => {
    const published = price.kind === 'free' || price.rate === null ? undefined : rates[price.rate]
    return published === undefined ? [] : [[id, published] as const]
  })
  return { rates, differences, prices: Object.fromEntries(prices) }
}

/**
 * The constants of the schema that has the rates. Its name is not documented, so it is known by what is in it: at least
 * one of the documented rates.
 */
function publishedRates(description: OpenRecord): Record<string, number> {
  const { schemas = {} } = (description['components'] ?? {}) as { schemas?: Record<string, unknown> }
  for (const schema of Object.values(schemas)) {
    const { properties = {} } = (schema ?? {}) as { properties?: Record<string, { const?: unknown } | null> }
    const constants = Object.entries(properties).flatMap(([name, property]) =>
      typeof property?.const === 'number' ? [[name, property.const] as const] : [],
    )
    if (constants.some(([name]) => name in creditRates)) return Object.fromEntries(constants)
  }
  return {}
}
