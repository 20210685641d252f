import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type * as z from 'zod/mini'
import { describeIssues } from '../../src/contract/issues.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { personPosts } from '../../src/contract/professionalnet/person.ts'
import { SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { catalog, requests, responses } from '../support/documented-shapes.ts'
import { mutated } from '../support/mutations.ts'
import { type Shape, anyText, object } from '../support/shapes.ts'

vi.mock(import('../../src/contract/issues.ts'), { spy: true })

/** No more than this is documented of the others. */
const undocumented: [Operation, Shape] = [personPosts, object({ requestId: anyText })]

const cases = (documented: [Operation, Shape][]) =>
  [...documented.filter((described) => !catalog.includes(described)), undocumented].map(
    ([operation, shape]) => [operation.id, operation, shape] as const,
  )

/** Checks violations, valid values and mutated ones. `check` returns whether the value fits. */
function compare({ valid, violations }: Shape, check: (value: unknown) => boolean): void {
  const seen = { accepted: 0, refused: 0 }
  const count = (value: unknown) => {
    seen[check(value) ? 'accepted' : 'refused']++
  }
  for (const { value } of violations) count(value)
  fc.assert(fc.property(valid, count), { seed: 7 })
  fc.assert(fc.property(mutated(valid), count), { seed: 7, numRuns: 1000 })
  expect(seen.accepted).toBeGreaterThan(200)
  expect(seen.refused).toBeGreaterThan(200)
}

describe('Operation', () => {
  it.each(cases(requests))(
    '%s: request() runs its schema only when the params are invalid',
    (_, { request }, shape) => {
      compare(shape, (params) => {
        const issues = describeIssues(request.schema() as z.ZodMiniType, params)
        vi.mocked(describeIssues).mockClear()
        expect(request(params)).toEqual(issues)
        expect(describeIssues).toHaveBeenCalledTimes(issues.length === 0 ? 0 : 1)
        return issues.length === 0
      })
    },
  )

  it.each(cases(responses))('%s: acceptsResponse() decides as the schemas do', (_, operation, shape) => {
    const { acceptsResponse, response, list } = operation
    compare(shape, (body) => {
      const fits = response(body).length === 0 && itemsFit(list, body as Record<string, unknown>)
      expect(acceptsResponse?.(body)).toBe(fits)
      return fits
    })
  })

  it('search() runs no schema when request and answer have the documented shape', async () => {
    const { baseUrl, apiKey, fetch } = createSandbox({ seed: 1 })
    const { posts } = await new SocialSearch({ baseUrl, apiKey, fetch }).microblog.search({ query: 'a' })
    expect(posts.length).toBeGreaterThan(0)
    expect(describeIssues).not.toHaveBeenCalled()
  })
})

/** Checks by index: the body may come with an array whose prototype, and so whose iterator, is another's. */
function itemsFit(list: Operation['list'], body: Record<string, unknown>): boolean {
  if (list?.item == null) return true
  const items = body[list.property] as unknown[]
  for (let i = 0; i < items.length; i++) if (list.item(items[i]).length > 0) return false
  return true
}
