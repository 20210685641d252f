import { describe, expectTypeOf, it } from 'vitest'
import { type MicroblogPost, SocialSearch, isSocialSearchError } from '../../src/index.ts'

const { microblog } = new SocialSearch({ baseUrl: 'https://api.example/v1', apiKey: 'key' })

describe('isSocialSearchError<Item>()', () => {
  it('gives error.items the type of the items', async () => {
    const call = microblog.search({ query: 'rust' })
    const posts = await call.toArray({ limit: 9 }).catch((error: unknown) => {
      if (!isSocialSearchError<MicroblogPost>(error)) throw error
      const paid = error.items ?? []
      expectTypeOf(paid.map(({ body }) => body)).toEqualTypeOf<string[]>()
      for (const post of paid) expectTypeOf(post).toEqualTypeOf<MicroblogPost>()
      expectTypeOf(call.resume(error)).toEqualTypeOf(call)
      if (error.code === 'credit_budget') expectTypeOf(error.budget.needed).toEqualTypeOf<number>()
      return paid
    })
    for (const post of posts) expectTypeOf(post).toEqualTypeOf<MicroblogPost>()
  })

  it('leaves the items unknown without a type', () => {
    const error: unknown = null
    if (isSocialSearchError(error)) expectTypeOf(error.items).toEqualTypeOf<readonly unknown[] | undefined>()
  })
})
