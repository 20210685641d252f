import { type Attempt, SocialSearchError } from '../../errors/index.ts'
import type { Answer } from '../call/call.ts'
import type { CallCredits } from '../../errors/facts.ts'
import { printed } from '../../lib/print.ts'
import type { Cached } from '../options/observer.ts'

/** A result with its HTTP response, attempts and credits. */
export interface WithResponse<T> {
  data: T
  /** The HTTP response, without its status text; its body can be read again. */
  response: Response
  requestId: string | undefined
  attempts: readonly Attempt[]
  credits: CallCredits
  /** Set if the answer came from the cache, or from an equal call. It cost 0 credits. */
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

  /**
   * @internal
   * @param answer Undefined in a subclass that makes the call when its result is needed.
   */
  constructor(answer?: Promise<Answer>) {
    this.#answer = answer
  }

  /** @internal The result of the call; not redacted. */
  protected answer(): Promise<Answer> {
    return this.#answer as Promise<Answer>
  }

  get [Symbol.toStringTag](): string {
    return 'ApiCall'
  }

  /** @internal */
  [printed](): string {
    return 'ApiCall (await it)'
  }

  then<A = Body, B = never>(
    onfulfilled?: ((body: Body) => A | PromiseLike<A>) | null,
    // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as in Promise, so that a handler may declare its type
    onrejected?: ((reason: any) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.answer()
      .then(({ body }) => body as Body, rethrowWithCallerFrames)
      .then(onfulfilled, onrejected)
  }

  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as in Promise, so that a handler may declare its type
  catch<B = never>(onrejected?: ((reason: any) => B | PromiseLike<B>) | null): Promise<Body | B> {
    return this.then(undefined, onrejected)
  }

  finally(onfinally?: (() => void) | null): Promise<Body> {
    return this.then().finally(onfinally)
  }

  /** The body with its HTTP response, attempts and credits. */
  async withResponse(): Promise<WithResponse<Body>> {
    const answer = await this.answer().catch(rethrowWithCallerFrames)
    const { body, requestId, record, cached } = answer
    const { attempts, credits } = record
    return { data: body as Body, response: redactedResponse(answer), requestId, attempts, credits, cached }
  }
}

/**
 * Throws the error of a call, with the functions that await it at the end of its stack. V8 finds them by the promises that
 * the error goes through, so they cost nothing until a call fails.
 */
export function rethrowWithCallerFrames(error: unknown): never {
  if (error instanceof SocialSearchError) addCallers(error)
  throw error
}

function addCallers(error: SocialSearchError): void {
  const { stack = '' } = error
  const below: { stack?: string } = {}
  // Engines without it have no such frames.
  const { captureStackTrace } = Error as Partial<typeof Error>
  captureStackTrace?.(below, rethrowWithCallerFrames)
  // Without those of Node.
  const frames = below.stack?.match(/\n +at (?!.*\(node:).+/g) ?? []
  const callers = frames.filter((frame) => !stack.includes(frame))
  if (callers.length > 0) error.stack = stack + callers.join('')
}

/** The response, redacted, with a body that can be read again. Its status text is lost: some constructors refuse one that fetch gives. */
function redactedResponse({ response, text, record: { redactor } }: Answer): Response {
  const headers = new Headers()
  // Those of a mock may have no more than `get()`.
  const given: Partial<Headers> = response.headers
  given.forEach?.((value, name) => {
    // They describe the body on the wire, not the decoded text.
    const isOfWire = name === 'content-encoding' || name === 'content-length'
    if (!isOfWire && redactor.text(name) === name) headers.append(name, redactor.text(value))
  })
  return new Response(text || null, { status: response.status, headers })
}
