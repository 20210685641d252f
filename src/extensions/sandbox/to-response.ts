import type { SandboxResponse } from './responses.ts'
import { connectionReset } from './faults.ts'

/** When a request stops counting as open: when the response is made, or when its body was read. */
export type CountsAsOpen = 'until answered' | 'until read'

/**
 * Makes a `Response`, and calls `release` once the request no longer counts as open. In memory, that is at once: a test may
 * never read the body.
 */
export function toResponse(
  { status, headers, body, cut }: SandboxResponse,
  request: Request,
  countsAsOpen: CountsAsOpen,
  release: () => void,
): Response {
  const isWhole = cut === undefined
  const hasBody = ![204, 205, 304].includes(status)
  if (!hasBody || (isWhole && countsAsOpen === 'until answered')) {
    release()
    return new Response(hasBody ? body : null, { status, headers })
  }

  const bytes = new TextEncoder().encode(body)
  let unsent = isWhole ? bytes : bytes.subarray(0, Math.floor(bytes.length / 2))

  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        request.signal.addEventListener('abort', () => {
          release()
          // Has no effect on a stream that has ended.
          controller.error(request.signal.reason)
        })
      },
      pull(controller) {
        if (unsent.length > 0) {
          controller.enqueue(unsent)
          unsent = bytes.subarray(0, 0)
          if (!isWhole) return undefined
        }
        if (cut === 'stall') return new Promise(() => {})
        release()
        if (cut === 'reset') controller.error(connectionReset('terminated'))
        else controller.close()
        return undefined
      },
      cancel: release,
    },
    // By default, a stream takes the first part before a reader asks for it.
    { highWaterMark: 0 },
  )
  return new Response(stream, { status, headers })
}
