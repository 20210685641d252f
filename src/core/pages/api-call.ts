import type { Attempt } from '../../errors/index.ts'
import type { Answer } from '../call/call.ts'
import type { CallCredits } from '../credits/ledger.ts'
import type { Cached } from '../options/types.ts'
import { validStatusText } from '../http/send.ts'

/** A result with its HTTP response, attempts and credits. */
export interface WithResponse<T> {
  data: T
  /** The HTTP response; its body can be read again. */
  response: Response
  requestId: string | undefined
  attempts: readonly Attempt[]
  credits: CallCredits
  /** Set if the answer came from a cache, or from the request of an equal call. Then it cost 0 credits. */
  cached?: Cached | undefined
}

/**
 * A promise of the body, with a method that also returns the response, attempts and credits.
 *
 * @example
 * const call = client.professionalnet.company.get({ url })
 * const { data, requestId, credits } = await call.withResponse()
 */
export class ApiCall<Body> implements Promise<Body> {
  readonly #answer: Promise<Answer> | undefined

  /** @param answer Undefined in a subclass that makes the call when its result is needed. */
  constructor(answer?: Promise<Answer>) {
    this.#answer = answer
  }

  /** The result of the call; not redacted. */
  protected answer(): Promise<Answer> {
    return this.#answer as Promise<Answer>
  }

  get [Symbol.toStringTag](): string {
    return 'ApiCall'
  }

  then<A = Body, B = never>(
    onfulfilled?: ((body: Body) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    const isCallback = typeof onfulfilled === 'function'
    return this.answer().then(
      ({ body }) => (isCallback ? onfulfilled(body as Body) : (body as never)),
      onrejected,
    )
  }

  catch<B = never>(onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Body | B> {
    return this.then(undefined, onrejected)
  }

  finally(onfinally?: (() => void) | null): Promise<Body> {
    return this.then().finally(onfinally)
  }

  /** The body with its HTTP response, attempts and credits. */
  async withResponse(): Promise<WithResponse<Body>> {
    const answer = await this.answer()
    const { body, requestId, attempts, credits, cached } = answer
    return { data: body as Body, response: redactedResponse(answer), requestId, attempts, credits, cached }
  }
}

/** The response, redacted, with a body that can be read again. */
function redactedResponse({ response, text, redactor }: Answer): Response {
  const { status } = response
  const statusText = redactor.text(validStatusText(response))
  const headers = new Headers()
  for (const [name, value] of response.headers) {
    // They describe the body on the wire, not the decoded text.
    if (name === 'content-encoding' || name === 'content-length') continue
    if (redactor.text(name) === name) headers.append(name, redactor.text(value))
  }
  return new Response(text, { status, statusText, headers })
}
