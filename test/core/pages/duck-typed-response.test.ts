import { describe, expect, it } from 'vitest'
import { page } from '../../support/pages.ts'
import { makeClient } from '../../support/service.ts'

/** What a `fetch` of your own may return: the parts of a response that the client reads. */
function responseLike(parts: object = {}): Response {
  const { body } = new Response(JSON.stringify(page(['1'])))
  return { status: 200, ok: true, headers: new Headers(), body, ...parts } as Response
}

const search = (parts: object, hooks?: object) =>
  makeClient({ fetch: () => Promise.resolve(responseLike(parts)), ...(hooks && { hooks }) }).microblog.search(
    {
      query: 'rust',
    },
  )

const parts: [name: string, parts: object, status: number][] = [
  ['a 204', { status: 204 }, 204],
  ['a 205', { status: 205 }, 205],
  ['a status text', { statusText: 'Fine' }, 200],
  ['no status text', {}, 200],
]

describe.each(parts)('withResponse() of a response-like object with a body and %s', (_, parts, status) => {
  it.each([
    ['without hooks', undefined],
    ['with hooks', { beforeRequest: [() => {}] }],
  ])('has the page %s', async (_, hooks) => {
    const { data, response } = await search(parts, hooks).withResponse()
    expect(data.posts).toHaveLength(1)
    expect(response.status).toBe(status)
  })
})
