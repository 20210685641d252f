import { sleep } from '../../lib/time.ts'
import { ProxyRefusal } from './error-statuses.ts'

/** How long an answer is kept, in milliseconds. A browser repeats a request at once. */
const keepMs = 60_000

/** How much is kept of all answers and requests together, in characters. */
const maxSize = 2 ** 23

/** How often a repeat looks for the answer, in milliseconds. In workers, no promise of another request may be awaited. */
const checkMs = 20

interface Reply {
  readonly text: string
  readonly status: number
  readonly headers: [string, string][]
  /** When it is forgotten, in monotonic milliseconds. */
  readonly until: number
}

interface Attempt {
  /** How the first request has ended; undefined while it is under way. */
  end?: Reply | 'unsent'
}

/** Answers a request that a browser sends again as the first time, since forwarding it again would cost twice. */
export class Repeats {
  /** Those under way, and those with a reply in the order of their replies. */
  readonly #attempts = new Map<string, Attempt>()
  #size = 0

  /**
   * The answer to an attempt.
   *
   * @param key Everything that two requests have in common if one is a repeat of the other.
   * @param forward Answers the first one; null if nothing was sent, so that a repeat may be.
   * @param endBy When to give up, in monotonic milliseconds.
   */
  async answer(
    key: string,
    forward: () => Promise<Response | null>,
    endBy: number,
    signal: AbortSignal,
  ): Promise<Response | null> {
    this.#forget()
    for (let first = this.#attempts.get(key); first !== undefined; first = this.#attempts.get(key)) {
      while (first.end === undefined) {
        if (performance.now() >= endBy)
          throw new ProxyRefusal(504, 'timeout', 'the same request, sent before, has no answer yet', {
            charged: 'unknown',
          })
        await sleep(checkMs, signal)
      }
      if (first.end !== 'unsent') return toResponse(first.end)
    }
    return this.#forward(key, forward)
  }

  /** The attempt stays in the map until its reply is there: a repeat that comes while something is awaited finds it. */
  async #forward(key: string, forward: () => Promise<Response | null>): Promise<Response | null> {
    const attempt: Attempt = {}
    this.#attempts.set(key, attempt)
    const response = await forward()
    const end = response === null ? 'unsent' : await replyOf(response)
    attempt.end = end
    this.#attempts.delete(key)
    if (end === 'unsent') return null
    // Behind those that were answered before.
    this.#attempts.set(key, attempt)
    this.#size += sizeOf(key, end)
    this.#forget()
    return toResponse(end)
  }

  /** Forgets the oldest replies, until none is too old and all together are not too large. */
  #forget(): void {
    const now = performance.now()
    for (const [key, { end }] of this.#attempts) {
      if (end === undefined || end === 'unsent') continue
      if (end.until > now && this.#size <= maxSize) return
      this.#attempts.delete(key)
      this.#size -= sizeOf(key, end)
    }
  }
}

const sizeOf = (key: string, { text }: Reply): number => key.length + text.length

async function replyOf(response: Response): Promise<Reply> {
  const { status, headers } = response
  const text = await response.text()
  return { text, status, headers: [...headers], until: performance.now() + keepMs }
}

function toResponse({ text, status, headers }: Reply): Response {
  return new Response(text === '' ? null : text, { status, headers })
}
