import type { CallOptions } from '../core/options/options.ts'
import { descriptionGet } from '../api/endpoints/description.ts'
import type { OpenRecord } from '../api/endpoints/undocumented.ts'
import { operations } from '../api/operations.ts'
import { publishedRates } from '../api/price.ts'
import { ApiCall } from '../core/pages/api-call.ts'
import { type Transport, clientTransport } from '../core/call/transport.ts'

/** The published credit rates. */
export interface CreditRates {
  /** Every rate with one published value, by its published name, in credits. */
  rates: Record<string, number>
  /** The published price of each operation whose rate has a documented name, for the option `prices`. */
  prices: Record<string, number>
}

/** The service's description of itself, OpenAPI 3.1 (`GET /openapi.json`). Free. */
export function openapi(transport: Transport, options?: CallOptions): ApiCall<OpenRecord> {
  return new ApiCall(clientTransport(transport).request(descriptionGet, {}, options))
}

/** Reads the credit rates from the service's description of itself. */
export async function readCreditRates(transport: Transport, options?: CallOptions): Promise<CreditRates> {
  const rates = publishedRates(await openapi(transport, options))
  const prices = operations.flatMap(({ id, price }) => {
    const published = price.kind === 'free' || price.rate === null ? undefined : rates[price.rate]
    return published === undefined ? [] : [[id, published] as const]
  })
  return { rates, prices: Object.fromEntries(prices) }
}
