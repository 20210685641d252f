import type * as installed from './installed.ts'
import * as service from './service.ts'

/** The package, wherever it was loaded from. */
export type Sdk = typeof installed

/**
 * Where a secret could stand, and what shows it: of a class of errors, work that is rejected with one; of anything else, the
 * values to look at.
 */
export type Place = readonly [surface: string, show: () => unknown]

/** What work is rejected with. */
export async function caught(work: () => unknown): Promise<unknown> {
  try {
    await work()
  } catch (error) {
    return error
  }
  throw new Error('nothing went wrong')
}

export const baseUrl = 'https://api.example/v1'
export const search = { query: 'coffee' }

let organizations = 0
/** A label that no other client of the probe has. */
export const newOrganization = (): string => `canary ${++organizations}`

/** Answers to a search, with the error that each makes of it. */
export const failing: readonly [name: string, trick: service.Trick, options?: object][] = [
  ['ValidationError', service.refusal(400)],
  ['ValidationError', service.escapedRefusal],
  ['AuthenticationError', service.refusal(401)],
  ['PermissionDeniedError', service.refusal(403)],
  ['NotFoundError', service.refusal(404)],
  ['RateLimitError', service.refusal(429, { 'retry-after': '2' })],
  ['UpstreamError', service.refusal(502)],
  ['UpstreamError', service.htmlError],
  ['UpstreamError', service.splitId],
  ['ServiceUnavailableError', service.refusal(503)],
  ['ApiError', service.refusal(418)],
  ['RedirectError', service.redirect],
  ['ConnectionError', service.broken],
  ['TimeoutError', service.silent, { timeout: 20 }],
  ['InvalidResponseError', service.wrongShape],
  ['InvalidResponseError', service.noJson],
]
