import ky, { type Options } from 'ky'
import { messageOf } from '../../lib/thrown.ts'
import { FetchMisuse, NotSent } from './network-error.ts'
import type { FollowedRequest } from './undici.ts'

/** A function like the global fetch, called with a `Request`. */
export type Fetch = (request: Request) => Promise<Response>

/** Options of fetch. */
export type Init = Omit<RequestInit, 'headers'> & {
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** Redirects are never followed: 307 and 308 would send body and credential to another host. */
const api = /* @__PURE__ */ ky.create({
  retry: 0,
  timeout: false,
  throwHttpErrors: false,
  redirect: 'manual',
})

/**
 * Sends a request through ky, which gets neither body nor signal: its own `Request` would pipe the body once more.
 *
 * @param token Added last, so that nothing but `fetchOnce` sees it.
 */
export async function send(
  url: string,
  init: Init,
  token: string | null,
  fetchOnce: (init: Init) => Promise<Response>,
): Promise<Response> {
  if (typeof (globalThis.Request as unknown) !== 'function')
    throw new NotSent('this runtime has no Request; load a polyfill')
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` }
  const signed = { ...init, headers: { ...init.headers, ...authorization } }
  return api(url, { method: init.method, fetch: () => fetchOnce(signed) } as Options)
}

/** The options of fetch for a JSON body, or for none. */
export function initOf(
  method: string,
  headers: Init['headers'],
  body: string | undefined,
  signal: AbortSignal,
): Init {
  // Deno resends a request on a dead keep-alive connection, unless its body is a stream.
  const sent = body !== undefined && 'Deno' in globalThis ? new Blob([body]).stream() : (body ?? null)
  return { method, headers, body: sent, signal, redirect: 'manual', duplex: 'half' } as Init
}

/** Calls the user's fetch, or the global one. Node keeps each `Request` for long, so the latter gets the URL. */
export async function callFetch(
  fetch: Fetch | undefined,
  url: string,
  init: Init,
  followed: FollowedRequest,
): Promise<Response> {
  if (fetch !== undefined)
    return asResponse(await followed.follow(() => callOwnFetch(fetch, url, init), true))
  if (typeof (globalThis.fetch as unknown) !== 'function')
    throw new NotSent('this runtime has no fetch; pass the option fetch')
  return asResponse(await followed.follow(() => globalThis.fetch(url, withoutPool(init)), false))
}

// A connection that was kept may have died unnoticed, as in a process that was frozen. A request that is lost on it may have been charged,
// for all that can be known.

/** After so many milliseconds without a request, the connections that are kept may have ended. */
const idleMs = 250

/** When the latest request was sent, in monotonic milliseconds. */
let usedAt = Infinity

/** Lets Node notice which connections have ended, before it takes one for a request. */
export async function noticeEnds(): Promise<void> {
  const { process, setImmediate } = globalThis as Partial<typeof globalThis>
  const isIdle = performance.now() - usedAt > idleMs
  if (isIdle && setImmediate !== undefined && process?.versions['undici'] !== undefined)
    // The first comes before Node looks at its sockets again, if they have called this.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  usedAt = performance.now()
}

/** Deno's, which keeps no connection. */
let unpooled: object | undefined

/** On Deno, each request gets a connection of its own. */
function withoutPool(init: Init): Init {
  const { Deno } = globalThis as { Deno?: { createHttpClient?(options: object): object } }
  unpooled ??= Deno?.createHttpClient?.({ poolMaxIdlePerHost: 0 })
  return unpooled === undefined ? init : ({ ...init, client: unpooled } as Init)
}

function callOwnFetch(fetch: Fetch, url: string, init: Init): Promise<Response> {
  let isCopied = false
  let isUntouched = (): boolean => true
  try {
    const request = new Request(url, init)
    const clone = (): Request => ((isCopied = true), Request.prototype.clone.call(request))
    // What sends a request uses up its body, or that of a copy.
    isUntouched = () => request.method !== 'GET' && !request.bodyUsed && !isCopied
    return fetch(Object.defineProperty(request, 'clone', { value: clone }))
  } catch (error) {
    if (!isUntouched()) throw error
    throw new NotSent(`fetch failed before it sent the request: ${messageOf(error)}`)
  }
}

/** Rejects anything but a response with an unread body, since the user's fetch has a bug. */
function asResponse(value: unknown): Response {
  const response = value as Partial<Response> | null | undefined
  if (
    typeof response?.status !== 'number' ||
    typeof response.headers?.get !== 'function' ||
    !(hasStream(response) || typeof response.text === 'function')
  )
    throw new FetchMisuse('fetch returned no Response')
  if (response.bodyUsed || response.body?.locked)
    throw new FetchMisuse('your fetch has read the body; it should read response.clone()')
  return value as Response
}

/** Polyfills, node-fetch and mocks have none. */
function hasStream({ body }: Partial<Response>): boolean {
  return typeof (body as Partial<ReadableStream> | null | undefined)?.getReader === 'function'
}

/** Largest body that is read, in bytes after decompression: far more than any page of the service. */
export const maxBodyBytes = 64 * 2 ** 20

/** A response, read to its end. */
export interface RawResponse {
  readonly response: Response
  readonly text: string
  /** False if the body was cut off because it is too large. */
  readonly complete: boolean
}

/**
 * Reads a body as UTF-8, up to {@link maxBodyBytes}, since a small gzip can hold gigabytes. It cancels the body on
 * abort: Node drops the signal of a request together with the request.
 */
export async function readText(
  response: Response,
  signal: AbortSignal,
): Promise<Omit<RawResponse, 'response'>> {
  if (!hasStream(response)) {
    const text = withoutMark(await response.text())
    return { text: text.slice(0, maxBodyBytes), complete: text.length <= maxBodyBytes }
  }
  // By itself, it removes a second byte order mark if the first one comes in two parts.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  // Frees the connection. The rejection of a failed stream needs no handling.
  const cancel = (): void => void reader.cancel().catch(() => {})
  signal.addEventListener('abort', cancel)
  let text = ''
  let bytes = 0
  try {
    while (bytes <= maxBodyBytes) {
      const { done, value } = await reader.read()
      if (done) return { text: withoutMark(text + decoder.decode()), complete: true }
      bytes += value.byteLength
      text += decoder.decode(value, { stream: true })
    }
    cancel()
    return { text: withoutMark(text), complete: false }
  } catch (error) {
    cancel()
    throw error
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

function withoutMark(text: string): string {
  return text.startsWith('\uFEFF') ? text.slice(1) : text
}
