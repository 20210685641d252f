import type { CallOptions } from '../core/options/types.ts'
import { descriptionGet } from '../contract/description.ts'
import type { OpenRecord } from '../contract/undocumented.ts'
import { operations } from '../contract/operations.ts'
import { type RateDifference, publishedRates, rateDifferences } from '../contract/rates.ts'
import { ApiCall } from '../core/pages/api-call.ts'
import type { Transport } from '../core/call/transport.ts'

/** What the service publishes of its credit rates, beside what this package assumes. */
export interface CreditRates {
  /** Every rate that the description gives one value, by the name it is published under, in credits. */
  rates: Record<string, number>
  /**
   * Rates that this package assumes and that are published differently, or not as one number (null). Only those that are
   * documented by name: the rates of persons and tech news are not.
   */
  differences: RateDifference[]
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
  const prices = operations.flatMap(({ id, price }) => {
    const published = price.kind === 'free' || price.rate === null ? undefined : rates[price.rate]
    return published === undefined ? [] : [[id, published] as const]
  })
  return { rates, differences: rateDifferences(rates), prices: Object.fromEntries(prices) }
}
