import type { IncomingMessage, ServerResponse } from 'node:http'

/** Anything that responds to HTTP requests, such as the result of `createProxy`. */
export type RequestHandler = (request: Request) => Response | Promise<Response>

/**
 * Serves a handler such as a proxy with `node:http`, Express and others built on it. The request's signal aborts if the client
 * leaves. If the handler throws, the connection is reset.
 *
 * @example
 * const proxy = createProxy({ client, allow: ['microblog.search'], authorize: userOf })
 * createServer(toNodeListener(proxy)).listen(3000)
 */
export function toNodeListener(
  handler: RequestHandler,
): (incoming: IncomingMessage, outgoing: ServerResponse) => void {
  return (incoming, outgoing) => void answer(handler, incoming, outgoing)
}

async function answer(
  handler: RequestHandler,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { socket } = incoming
  const left = new AbortController()
  // Without a listener, writing to a client that has left would end the process.
  outgoing.on('error', () => {})
  try {
    const request = toRequest(incoming, left.signal)
    if (request === null) {
      outgoing.writeHead(400).end()
      return
    }
    outgoing.once('close', () => {
      // The reference to `request` matters: without one, Node drops its signal, and the handler never sees the abort.
      if (!outgoing.writableFinished && !request.signal.aborted) left.abort()
    })
    await send(await handler(request), outgoing, left.signal)
    // What the handler has left unread must not block the connection.
    if (request.body?.locked === false) void request.body.cancel().catch(() => {})
  } catch {
    try {
      socket.resetAndDestroy()
    } catch {
      // Only plain TCP can be reset.
      socket.destroy()
    }
  }
}

/** Returns null for a request that `fetch` could not send, such as the method TRACE. */
function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | null {
  const { method = 'GET' } = incoming
  const headers = new Headers()
  try {
    for (const [name, values = []] of Object.entries(incoming.headersDistinct))
      headers.set(name, values.join(name === 'cookie' ? '; ' : ', '))
    const request = new Request(urlOf(incoming), {
      method,
      headers,
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

/** @throws if the target is not a URL, or `Host` contains more than a host, which could become part of the path. */
function urlOf({ url = '/', headers, socket }: IncomingMessage): URL {
  const origin = new URL(`${'encrypted' in socket ? 'https' : 'http'}://${headers.host || 'localhost'}`)
  const target = new URL(url.startsWith('/') ? origin.origin + url : url)
  if (origin.href === `${origin.origin}/` && target.protocol.startsWith('http')) return target
  throw new TypeError('the URL of the request is invalid')
}

/** Reads only as far as the handler does, and discards the rest: closing the connection would lose the response. */
function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = (incoming as AsyncIterable<Uint8Array<ArrayBuffer>>)[Symbol.asyncIterator]()
  const drop = async (): Promise<void> => {
    while ((await chunks.next()).done !== true);
  }
  return new ReadableStream(
    {
      async pull(controller) {
        const next = await chunks.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      },
      cancel: () => void drop().catch(() => {}),
    },
    { highWaterMark: 0 },
  )
}

async function send(response: Response, outgoing: ServerResponse, left: AbortSignal): Promise<void> {
  // The rest of a body that is too slow may never arrive.
  if (response.status === 408) outgoing.shouldKeepAlive = false
  outgoing.writeHead(response.status, [...response.headers].flat())
  const reader = response.body?.getReader()
  // Otherwise, a response without an end would continue after the client has gone.
  const cancel = (): void => void reader?.cancel().catch(() => {})
  if (left.aborted || outgoing.req.method === 'HEAD') cancel()
  left.addEventListener('abort', cancel)
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    const { value } = part
    // Flush each part before a reset, or the client would see only the reset.
    await new Promise<unknown>((written) => outgoing.write(value, written))
  }
  outgoing.end()
}
