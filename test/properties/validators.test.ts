import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { microblogSearch } from '../../src/contract/microblog.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { personPosts } from '../../src/contract/professionalnet/person.ts'
import { decode } from '../../src/core/call/decode.ts'
import { catalog, responses } from '../support/documented-shapes.ts'
import { mutated } from '../support/mutations.ts'
import { page } from '../support/pages.ts'
import { type Shape, anyText, object } from '../support/shapes.ts'

/** No more than this is documented of the others. */
const undocumented: [Operation, Shape] = [personPosts, object({ requestId: anyText })]

const cases = [...responses.filter((described) => !catalog.includes(described)), undocumented].map(
  ([operation, shape]) => [operation.id, operation, shape] as const,
)

describe('Operation', () => {
  it.each(cases)('%s: accepts() decides as the schemas do', (_, { accepts, response, list }, shape) => {
    const seen = { accepted: 0, refused: 0 }
    const agrees = (body: unknown) => {
      const fits = response(body).length === 0 && itemsFit(list, body as Record<string, unknown>)
      seen[fits ? 'accepted' : 'refused']++
      expect(accepts?.(body)).toBe(fits)
    }
    for (const { value } of shape.violations) agrees(value)
    fc.assert(fc.property(shape.valid, agrees), { seed: 7 })
    fc.assert(fc.property(mutated(shape.valid), agrees), { seed: 7, numRuns: 1000 })
    expect(seen.accepted).toBeGreaterThan(200)
    expect(seen.refused).toBeGreaterThan(500)
  })

  it('decode() runs no schema when accepts() is true', async () => {
    const unused = Object.assign(() => [{ path: '', message: 'checked by the schema' }], {
      schema: () => null,
    })
    const operation = { ...microblogSearch, response: unused, list: { property: 'posts', item: unused } }
    const body = page(['1', '2'])
    const rules = { validation: 'strict', schema: undefined, paging: undefined } as const
    expect(await decode(operation, body, rules)).toEqual({ ok: true, body, invalid: null })
  })
})

/** Checks by index: the body may come with an array whose prototype, and so whose iterator, is another's. */
function itemsFit(list: Operation['list'], body: Record<string, unknown>): boolean {
  if (list?.item == null) return true
  const items = body[list.property] as unknown[]
  for (let i = 0; i < items.length; i++) if (list.item(items[i]).length > 0) return false
  return true
}
