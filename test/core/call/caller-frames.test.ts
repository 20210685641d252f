import { describe, expect, it } from 'vitest'
import { type SocialSearch, SocialSearchError, createTransport, microblog } from '../../../src/index.ts'
import { settle } from '../../support/clock.ts'
import { apiKey, baseUrl, failure, makeClient, slow, virtualService } from '../../support/service.ts'

const service = virtualService()

const query = { query: 'a' }
const refused = () => failure(401, 'unauthorized')
const late = slow(2000, refused)

type Call = (client: SocialSearch) => unknown

/** The program of a user: its frame is looked for in stacks. */
async function renderPage(call: Call, client: SocialSearch): Promise<void> {
  await call(client)
}

/** The stack of the error that a program fails with. */
async function stackOf(call: Call, client = makeClient()): Promise<string> {
  const { error } = await settle(renderPage(call, client))
  expect(error).toBeInstanceOf(SocialSearchError)
  return String((error as Error).stack)
}

/** The lines of a stack that name the function `renderPage` of this file. */
const callerIn = (stack: string) =>
  stack.match(/^ +at (?:async )?\S*renderPage .*caller-frames\.test.*$/gm) ?? []

async function readAll(items: AsyncIterable<unknown>): Promise<void> {
  for await (const item of items) expect(item).toBeDefined()
}

const calls: [title: string, call: Call][] = [
  ['a search', (client) => client.microblog.search(query)],
  ['a call for one body', (client) => client.organization.usage()],
  ['then()', (client) => client.microblog.search(query).then(({ posts }) => posts.length)],
  ['toArray()', (client) => client.microblog.search(query).toArray({ limit: 1 })],
  ['withResponse() of a search', (client) => client.microblog.search(query).withResponse()],
  ['withResponse() of a call for one body', (client) => client.organization.usage().withResponse()],
  ['a search on a transport', () => microblog(createTransport({ baseUrl, apiKey })).search(query)],
  ['for await', (client) => readAll(client.microblog.search(query))],
  ['pages()', (client) => readAll(client.microblog.search(query).pages())],
]

describe('the stack of an error has the async function that awaits', () => {
  it.each(calls)('%s', async (_, call) => {
    service.script(late)
    const stack = await stackOf(call)
    expect(callerIn(stack)).toHaveLength(1)
    // Its own frames come first.
    expect(stack).toMatch(/^AuthenticationError: .*\n +at .*core.call/)
  })

  it('once when it is awaited in two places', async () => {
    service.script(refused)
    const call = makeClient().microblog.search(query)
    await stackOf(() => call)
    expect(callerIn(await stackOf(() => call))).toHaveLength(1)
  })

  it('but none when the error is the reason of a signal', async () => {
    const reason = new Error('mine')
    const { stack } = reason
    const { error } = await service.search({}, { signal: AbortSignal.abort(reason) })
    expect([error === reason, reason.stack]).toEqual([true, stack])
  })
})
