import type { IncomingMessage, ServerResponse } from 'node:http'

/** Anything that answers HTTP requests, such as what `createProxy` returns. */
export type RequestHandler = (request: Request) => Response | Promise<Response>

/**
 * Lets a handler of `Request` and `Response` serve `node:http`, and all that is built on it. The request's signal aborts
 * when the client leaves before it has the whole answer. A handler that throws ends the connection.
 *
 * @example
 * createServer(toNodeListener(createProxy({ client, allow: ['microblog.search'], authorize })))
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
    await send(await handler(request), outgoing)
  } catch {
    outgoing.socket?.resetAndDestroy()
  }
}

/** What ends the host in a URL: in the header, it would put another path in place of the one that was asked for. */
const endsHost = /[/\\?#]/

/** Returns null for what `fetch` could not have sent, such as the method TRACE. */
function toRequest(incoming: IncomingMessage, signal: AbortSignal): Request | null {
  const { method = 'GET', url = '/' } = incoming
  const host = incoming.headers.host || 'localhost'
  if (endsHost.test(host)) return null
  const scheme = 'encrypted' in incoming.socket ? 'https' : 'http'
  const headers = new Headers()
  try {
    for (const [name, values = []] of Object.entries(incoming.headersDistinct))
      headers.set(name, values.join(name === 'cookie' ? '; ' : ', '))
    return new Request(url.startsWith('/') ? `${scheme}://${host}${url}` : url, {
      method,
      headers,
      signal,
      ...(method !== 'GET' && method !== 'HEAD' && { body: bodyOf(incoming), duplex: 'half' }),
    })
  } catch {
    return null
  }
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

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, [...response.headers].flat())
  const body = response.body?.getReader()
  // Nobody reads on when the client has left, and a body may go on for ever.
  const cancel = (): void => void body?.cancel().catch(() => {})
  if (outgoing.closed) cancel()
  else outgoing.once('close', cancel)
  for (let part = await body?.read(); part?.done === false; part = await body?.read()) {
    const { value } = part
    // What was sent before a reset must have left, or the client would see the reset alone.
    await new Promise<unknown>((written) => outgoing.write(value, written))
  }
  outgoing.end()
}
