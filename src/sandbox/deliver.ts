import { type Answer, bodiless } from './answers.ts'
import { connectionReset } from './faults.ts'
import type { Fault } from './types.ts'

/** When a request with a complete body stops counting as open: when it is answered, or when the body was read. */
export type Hold = 'until answered' | 'until read'

/**
 * Makes a Response of an answer. `release` is called once the request no longer counts as open. A body that is
 * complete and small does not wait for somebody to read it: in memory, nobody may.
 */
export function deliver(
  { status, headers, body }: Answer,
  { cut, hold, request, release }: { cut: Fault['cut']; hold: Hold; request: Request; release: () => void },
): Response {
  const isWhole = cut === undefined
  if (bodiless.includes(status) || (isWhole && hold === 'until answered')) {
    release()
    return new Response(bodiless.includes(status) ? null : body, { status, headers })
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
    // Without this, the first part would count as handed over before anybody asked for it.
    { highWaterMark: 0 },
  )
  return new Response(stream, { status, headers })

  function end(): void {
    request.signal.removeEventListener('abort', abort)
    release()
  }
}
