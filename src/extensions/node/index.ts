import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Stream } from 'node:http2'

/** Anything that responds to HTTP requests, such as the result of `createProxy`. */
export type RequestHandler = (request: Request) => Response | Promise<Response>

/**
 * Serves a handler such as a proxy with `node:http`, `node:http2`, Express and others built on them. The request's signal
 * aborts if the client leaves. If the handler throws, the client gets a 500, and `console.error` the error.
 *
 * @example
 * const proxy = createProxy({ client, allow: ['microblog.search'], authorize: userOf })
 * createServer(toNodeListener(proxy)).listen(3000)
 */
export function toNodeListener(
  handler: RequestHandler,
): (incoming: IncomingMessage | Http2ServerRequest, outgoing: ServerResponse | Http2ServerResponse) => void {
  // Those of HTTP/2 imitate the others.
  return (incoming, outgoing) => void answer(handler, incoming as IncomingMessage, outgoing as ServerResponse)
}

async function answer(
  handler: RequestHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const left = new AbortController()
  // Without a listener, writing to a client that has left would end the process.
  outgoing.on('error', () => {})
  const request = toRequest(incoming, left.signal)
  if (request === null) {
    outgoing.writeHead(400).end()
    return
  }
  outgoing.once('close', () => {
    // A broken stream of HTTP/2 counts as finished.
    const hasLeft = streamOf(outgoing)?.aborted ?? !outgoing.writableFinished
    // The reference to `request` matters: without one, Node drops its signal, and the handler never sees the abort.
    if (hasLeft && !request.signal.aborted) left.abort()
  })
  try {
    await send(await handler(request), outgoing, left.signal)
  } catch (error) {
    if (!left.signal.aborted) fail(error, outgoing)
  }
  // What the handler has left unread must not block the connection, not even in a body that it has locked, as clone() does.
  if (request.body !== null) drop(incoming)
}

/** Ends a response that cannot be completed. Without an answer, a browser sends the request again, even a paid one. */
function fail(error: unknown, outgoing: ServerResponse): void {
  console.error('A handler of toNodeListener() failed:', error)
  if (!outgoing.headersSent) outgoing.writeHead(500).end()
  else breakOff(outgoing)
}

/** Shows the client that the response is not complete. In HTTP/1.1, its last chunk is missing; a reset would take what it has not read yet. */
function breakOff(outgoing: ServerResponse): void {
  const stream = streamOf(outgoing)
  try {
    if (stream) stream.close(internalError)
    else if (outgoing.req.httpVersion === '1.0') outgoing.socket?.resetAndDestroy()
    else outgoing.socket?.destroy()
  } catch {
    // Only plain TCP can be reset.
    outgoing.socket?.destroy()
  }
}

/** The stream of a response over HTTP/2. */
const streamOf = (outgoing: object): ServerHttp2Stream | undefined =>
  (outgoing as Partial<Http2ServerResponse>).stream

/** INTERNAL_ERROR of HTTP/2. */
const internalError = 2

/** Returns null for a request that `fetch` could not send, such as the method TRACE. */
function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | null {
  const { method = 'GET' } = incoming
  try {
    const url = urlOf(incoming)
    const request = new Request(url, {
      method,
      headers: headersOf(incoming),
      signal,
      ...(method !== 'GET' && method !== 'HEAD' && { body: bodyOf(incoming), duplex: 'half' }),
    })
    // A parser has already read the body, so it must not look empty.
    if (incoming.readableDidRead) void request.body?.cancel()
    return request
  } catch {
    return null
  }
}

/** In HTTP/2, `:authority` stands for `Host`. */
const hostOf = ({ headers }: IncomingMessage): string | undefined =>
  (headers[':authority'] as string | undefined) ?? headers.host

/** @throws if the target is not a URL, or `Host` contains more than a host, which could become part of the path. */
function urlOf(incoming: IncomingMessage): URL {
  const { url = '/', socket } = incoming
  const origin = new URL(`${'encrypted' in socket ? 'https' : 'http'}://${hostOf(incoming) || 'localhost'}`)
  const target = new URL(url.startsWith('/') ? origin.origin + url : url)
  if (origin.href === `${origin.origin}/` && target.protocol.startsWith('http')) return target
  throw new TypeError('the URL of the request is invalid')
}

/** The headers, without the pseudo headers of HTTP/2. */
function headersOf(incoming: IncomingMessage): Headers {
  const headers = new Headers()
  const { rawHeaders } = incoming
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = rawHeaders.slice(at, at + 2)
    if (name.startsWith(':')) continue
    const earlier = headers.get(name)
    const joint = name.toLowerCase() === 'cookie' ? '; ' : ', '
    headers.set(name, earlier === null ? value : earlier + joint + value)
  }
  const host = hostOf(incoming)
  if (host !== undefined) headers.set('host', host)
  return headers
}

/** Discards the rest of a body: closing the connection would lose the response. */
function drop(incoming: IncomingMessage): void {
  const chunks = (incoming as AsyncIterable<unknown>)[Symbol.asyncIterator]()
  const read = async (): Promise<void> => {
    while ((await chunks.next()).done !== true);
  }
  read().catch(() => {})
}

/** Reads only as far as the handler does. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = (incoming as AsyncIterable<Uint8Array<ArrayBuffer>>)[Symbol.asyncIterator]()
  return new ReadableStream(
    {
      async pull(controller) {
        const next = await chunks.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      },
      cancel: () => drop(incoming),
    },
    { highWaterMark: 0 },
  )
}

/** Headers of a connection, which HTTP/2 forbids. */
const connectionHeader = /^(connection|keep-alive|proxy-connection|transfer-encoding|upgrade)$/

async function send(response: Response, outgoing: ServerResponse, left: AbortSignal): Promise<void> {
  const { status, headers, body } = response
  const reader = body?.getReader()
  // Otherwise, a response without an end would continue after the client has gone.
  const cancel = (): void => void reader?.cancel().catch(() => {})
  if (left.aborted || outgoing.req.method === 'HEAD') cancel()
  left.addEventListener('abort', cancel)
  // If it fails, there can still be a 500.
  let part = await reader?.read()
  const isHttp2 = streamOf(outgoing) !== undefined
  // The rest of a body that is too slow may never arrive.
  if (status === 408) outgoing.shouldKeepAlive = false
  const sent = [...headers].filter(([name]) => !(isHttp2 && connectionHeader.test(name)))
  const cookies = headers.getSetCookie()
  outgoing.writeHead(status, {
    ...Object.fromEntries(sent),
    ...(cookies.length > 0 && { 'set-cookie': cookies }),
  })
  for (; part?.done === false; part = await reader?.read()) {
    const { value } = part
    // Flush each part before the connection ends, or the client would see only its end.
    await new Promise<unknown>((written) => outgoing.write(value, written))
  }
  outgoing.end()
}
