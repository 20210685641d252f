import type { IncomingMessage, ServerResponse } from 'node:http'

/** Anything that answers HTTP requests, such as what `createProxy` returns. */
export type RequestHandler = (request: Request) => Response | Promise<Response>

/**
 * Lets a handler of `Request` and `Response` serve `node:http`, and all that is built on it. The request's signal aborts
 * when the client leaves before it has the whole answer. A handler that throws ends the connection.
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
  // A client that is gone is no error here; without a listener, writing to it would end the process.
  outgoing.on('error', () => {})
  try {
    const request = toRequest(incoming, left.signal)
    if (request === null) {
      outgoing.writeHead(400).end()
      return
    }
    outgoing.once('close', () => {
      // Looks at the request, which would not hear of it otherwise: Node drops its signal with the last reference to it.
      if (!outgoing.writableFinished && !request.signal.aborted) left.abort()
    })
    await send(await handler(request), outgoing, left.signal)
  } catch {
    try {
      socket.resetAndDestroy()
    } catch {
      // Only plain TCP can be reset.
      socket.destroy()
    }
  }
}

/** Returns null for what `fetch` could not have sent, such as the method TRACE. */
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
    // A parser came first: the body is used, and must not pass for an empty one.
    if (incoming.readableDidRead) void request.body?.cancel()
    return request
  } catch {
    return null
  }
}

/** @throws where the target is no address of HTTP, or `Host` holds more than a host, which could become part of the path. */
function urlOf({ url = '/', headers, socket }: IncomingMessage): URL {
  const origin = new URL(`${'encrypted' in socket ? 'https' : 'http'}://${headers.host || 'localhost'}`)
  const target = new URL(url.startsWith('/') ? origin.origin + url : url)
  if (origin.href === `${origin.origin}/` && target.protocol.startsWith('http')) return target
  throw new TypeError('this cannot be the URL of a request')
}

/** Reads no further than the handler does, and drops what it leaves: closing the connection would lose the answer. */
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
  outgoing.writeHead(response.status, [...response.headers].flat())
  const reader = response.body?.getReader()
  // Otherwise, a response without an end would continue after the client has gone.
  const cancel = (): void => void reader?.cancel().catch(() => {})
  if (left.aborted || outgoing.req.method === 'HEAD') cancel()
  left.addEventListener('abort', cancel)
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    const { value } = part
    // What was sent before a reset must have left, or the client would see the reset alone.
    await new Promise<unknown>((written) => outgoing.write(value, written))
  }
  outgoing.end()
}
