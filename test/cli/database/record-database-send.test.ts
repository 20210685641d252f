import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, vi } from 'vitest'
import { microblogSearch } from '../../../src/api/endpoints/microblog.ts'
import { RecordDatabase } from '../../../src/cli/database/record-database.ts'
import { type Wrapping, clientTransport, wrap } from '../../../src/extend.ts'
import { createSandbox } from '../../support/sandbox.ts'
import { type Observer, SocialSearch } from '../../../src/index.ts'
import { pass, settle, virtualTime } from '../../support/clock.ts'
import { newFolder } from '../../support/folder.ts'
import { allOf } from '../../support/posts-database.ts'

virtualTime()

const searchKey = { operation: 'microblog.search', params: { query: 'coffee' } }

const noted = 'SELECT credits, uncertain FROM social_search_purchases'

/** A client whose calls are noted in a file that another program locks when a call is about to queue. */
async function setUp() {
  // It says that it waits.
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const path = join(newFolder(), 'posts.db')
  const lockWait = { forMs: () => Infinity }
  const file = await RecordDatabase.open(path, {
    ...{ operation: microblogSearch, searchKeys: [searchKey], lockWait },
  })
  const other = new DatabaseSync(path)
  const sandbox = createSandbox()
  const observer: Observer & Wrapping = {
    [wrap]: () => (send) => (call) => file.send(send, call, searchKey),
  }
  let isLocking = true
  const budget = {
    reserve() {
      if (isLocking) other.exec('BEGIN IMMEDIATE')
      isLocking = false
      return { settle: () => {} }
    },
  }
  const client = new SocialSearch({ ...sandbox.clientOptions(), budget, observers: [observer] })
  return { path, other, sandbox, client }
}

it('RecordDatabase.send() gives the turn of a call back while another program has the file, and sends it once', async () => {
  const { path, other, sandbox, client } = await setUp()
  const search = client.microblog.search({ query: 'coffee' })
  void search.catch(() => {})
  await pass(15_000)
  const { slots, surfaces } = client.status()
  expect([slots.taken, surfaces.map(({ waiting }) => waiting), client.credits.reserved]).toEqual([0, [1], 2])
  expect(sandbox.requests).toHaveLength(0)
  other.exec('COMMIT')
  expect((await settle(search)).value?.posts).toHaveLength(20)
  expect(sandbox.requests).toHaveLength(1)
  expect(allOf(path, 'SELECT credits, uncertain FROM social_search_spent')).toEqual([
    { credits: 2, uncertain: 0 },
  ])
})

it.each(['its signal aborts', 'its caller leaves'])(
  'RecordDatabase.send() sends and notes nothing when another program has the file, and %s',
  async (how) => {
    const { path, other, sandbox, client } = await setUp()
    const ended = new AbortController()
    const { signal } = ended
    const transport = clientTransport(client.transport)
    const request = transport.compose(microblogSearch, { query: 'coffee' })
    const search =
      how === 'its caller leaves'
        ? transport.send(microblogSearch, request, {}, { callerLeft: signal })
        : transport.send(microblogSearch, request, { signal })
    void search.catch(() => {})
    await pass(5000)
    ended.abort(new Error('stopped'))
    expect(await settle(search)).toMatchObject({ error: new Error('stopped'), ms: 0 })
    other.exec('COMMIT')
    await pass(5000)
    expect([sandbox.requests.length, allOf(path, noted)]).toEqual([0, []])
  },
)

it('RecordDatabase.send() fails, and sends and notes nothing, when another program has the file for a minute in the turn of a call', async () => {
  const { path, other, sandbox, client } = await setUp()
  const { error } = await settle(client.microblog.search({ query: 'coffee' }))
  expect(error).toMatchObject({ code: 'timeout', charged: 'no' })
  other.exec('COMMIT')
  await pass(5000)
  expect([sandbox.requests.length, allOf(path, noted)]).toEqual([0, []])
})
