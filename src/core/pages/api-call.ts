import type { Answer } from '../call/call.ts'
import { type WithResponse, withResponse } from './with-response.ts'

/**
 * A promise of the body, with a method that also returns the response, attempts and credits.
 *
 * @example
 * const call = client.professionalnet.company.get({ url })
 * const { data, requestId, credits } = await call.withResponse()
 */
export class ApiCall<Body> implements Promise<Body> {
  readonly #answer: Promise<Answer>

  constructor(answer: Promise<Answer>) {
    this.#answer = answer
  }

  get [Symbol.toStringTag](): string {
    return 'ApiCall'
  }

  then<A = Body, B = never>(
    onfulfilled?: ((body: Body) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#answer.then(({ body }) => body as Body).then(onfulfilled, onrejected)
  }

  catch<B = never>(onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<Body | B> {
    return this.then(undefined, onrejected)
  }

  finally(onfinally?: (() => void) | null): Promise<Body> {
    return this.then().finally(onfinally)
  }

  /** The body with its HTTP response, attempts and credits. */
  async withResponse(): Promise<WithResponse<Body>> {
    const answer = await this.#answer
    return withResponse(answer, answer.body as Body)
  }
}
