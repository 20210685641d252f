import { type SandboxResponse, bodilessStatuses } from './responses.ts'
import { connectionReset } from './faults.ts'
import type { Fault } from './types.ts'

/** When a request stops counting as open: when the response is made, or when its body was read. */
export type CountsAsOpen = 'until answered' | 'until read'

/**
 * Makes a `Response`, and calls `release` once the request no longer counts as open. In memory, that is at once: a test may
 * never read the body.
 */
export function toResponse(
  { status, headers, body }: SandboxResponse,
  {
    cut,
    countsAsOpen,
    request,
    release,
  }: { cut: Fault['cut']; countsAsOpen: CountsAsOpen; request: Request; release: () => void },
): Response {
  const isWhole = cut === undefined
  if (bodilessStatuses.includes(status) || (isWhole && countsAsOpen === 'until answered')) {
    release()
    return new Response(bodilessStatuses.includes(status) ? null : body, { status, headers })
  }

  const bytes = new TextEncoder().encode(body)
  let unsent = isWhole ? bytes : bytes.subarray(0, Math.floor(bytes.length / 2))
  let abort = (): void => {}

  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        abort = () => {
          end()
          controller.error(request.signal.reason)
        }
        request.signal.addEventListener('abort', abort, { once: true })
      },
      pull(controller) {
        if (unsent.length > 0) {
          controller.enqueue(unsent)
          unsent = bytes.subarray(0, 0)
          if (!isWhole) return undefined
        }
        if (cut === 'stall') return new Promise(() => {})
        end()
        if (cut === 'reset') controller.error(connectionReset('terminated'))
        else controller.close()
        return undefined
      },
      cancel: end,
    },
    // By default, a stream takes the first part before a reader asks for it.
    { highWaterMark: 0 },
  )
  return new Response(stream, { status, headers })

  function end(): void {
    request.signal.removeEventListener('abort', abort)
    release()
  }
}
