import { describe, expectTypeOf, it } from 'vitest'
import {
  type AnySocialSearchError,
  ApiError,
  type CreditBudgetError,
  type InvalidRequestError,
  type Issue,
  type MicroblogPost,
  type SocialSearch,
  isSocialSearchError,
} from '../../src/index.ts'
import type { ConnectionPhase, ReauthorizationReason, TimeoutPhase } from '../../src/errors/index.ts'

declare const client: SocialSearch
const params = { query: 'rust' }

describe('headers', () => {
  it('are an object, pairs, or a function of the attempt that returns one of these', () => {
    client.withOptions({ headers: [['x-team', 'search']] })
    client.withOptions({ headers: ({ operation }) => ({ 'x-operation': operation }) })
    client.withOptions({ headers: async () => Promise.resolve(new Headers()) })
    void client.microblog.search(params, { headers: ({ attempt }) => ({ 'x-attempt': String(attempt) }) })
    // @ts-expect-error it returns headers, not a request
    client.withOptions({ headers: () => new Request('https://api.example.com') })
    // @ts-expect-error it may return none, but must say so: {}
    client.withOptions({ headers: () => {} })
  })
})

describe('errors', () => {
  it('are distinguished by code', () => {
    const tell = (error: AnySocialSearchError) => {
      expectTypeOf(error.charged).toEqualTypeOf<'no' | 'yes' | 'unknown'>()
      switch (error.code) {
        case 'invalid_request':
          expectTypeOf(error).toEqualTypeOf<InvalidRequestError>()
          expectTypeOf(error.issues).toEqualTypeOf<readonly Issue[]>()
          break
        case 'connection':
          expectTypeOf(error.phase).toEqualTypeOf<ConnectionPhase>()
          break
        case 'timeout':
          expectTypeOf(error.phase).toEqualTypeOf<TimeoutPhase>()
          break
        case 'credit_budget':
          expectTypeOf(error).toEqualTypeOf<CreditBudgetError>()
          expectTypeOf(error.budget.needed).toEqualTypeOf<number>()
          expectTypeOf(error.budget.resetsAt).toEqualTypeOf<number | undefined>()
          expectTypeOf(error.budget.whose).toEqualTypeOf<'user' | 'all' | undefined>()
          break
        // @ts-expect-error a code of the proxy's own: it stands in ProxyErrorCode
        // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-comparison
        case 'operation_not_allowed':
          break
        case 'invalid_response':
          expectTypeOf(error.body).toEqualTypeOf<unknown>()
          break
        case 'reauthorization_required':
          expectTypeOf(error.reason).toEqualTypeOf<ReauthorizationReason>()
          break
        case 'rate_limited':
          expectTypeOf(error.retryAfter).toEqualTypeOf<number | undefined>()
          break
        // @ts-expect-error a code that is neither documented nor this package's
        // eslint-disable-next-line @typescript-eslint/no-unsafe-enum-comparison
        case 'ratelimited':
          break
      }
      if (error instanceof ApiError) expectTypeOf(error.status).toEqualTypeOf<number>()
    }
    expectTypeOf(tell).toBeFunction()
  })

  it('are narrowed from unknown by isSocialSearchError(), which gives error.items the type of the items', async () => {
    const call = client.microblog.search(params)
    const posts = await call.toArray({ limit: 9 }).catch((error: unknown) => {
      if (!isSocialSearchError<MicroblogPost>(error)) throw error
      for (const post of error.items ?? []) expectTypeOf(post).toEqualTypeOf<MicroblogPost>()
      expectTypeOf(call.resume(error)).toEqualTypeOf(call)
      if (error.code === 'credit_budget') expectTypeOf(error.budget.needed).toEqualTypeOf<number>()
      return error.items ?? []
    })
    for (const post of posts) expectTypeOf(post).toEqualTypeOf<MicroblogPost>()
    const caught: unknown = undefined
    if (!isSocialSearchError(caught)) return
    expectTypeOf(caught).toEqualTypeOf<AnySocialSearchError>()
    expectTypeOf(caught.items).toEqualTypeOf<readonly unknown[] | undefined>()
  })

  it('have what most programs ask for without a cast', () => {
    const tell = (error: AnySocialSearchError) => {
      expectTypeOf(error.status).toEqualTypeOf<number | undefined>()
      expectTypeOf(error.retryAfter).toEqualTypeOf<number | undefined>()
      expectTypeOf(error.body).toEqualTypeOf<unknown>()
      expectTypeOf(error.next).toEqualTypeOf<object | null | undefined>()
      expectTypeOf(error.credits.uncertain).toEqualTypeOf<number>()
      expectTypeOf(error.budget?.remaining).toEqualTypeOf<number | undefined>()
    }
    expectTypeOf(tell).toBeFunction()
  })
})
