import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  type ClientOptions,
  CreditBudget,
  type Limiter,
  SocialSearch,
  SocialSearchError,
  createTransport,
  mentions,
  microblog,
} from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { page } from '../../support/pages.ts'
import { apiKey, baseUrl, failure, makeClient, ok, scriptedService } from '../../support/service.ts'

const service = scriptedService()
virtualTime()
afterEach(() => {
  vi.unstubAllEnvs()
})

const query = { query: 'a' }
const refused = () => failure(401, 'unauthorized')
const late = () => new Promise<Response>((resolve) => setTimeout(() => resolve(refused()), 2000))
const silence = () => new Promise<Response>(() => {})

/** It lets no call go. */
const closedLimiter: Limiter = { acquire: () => new Promise(() => {}), hold: () => {} }

interface Program {
  title: string
  renderPage(client: SocialSearch): Promise<unknown>
}

/** The stack of the error that a program fails with. */
async function stackOf(program: Program, client = makeClient()): Promise<string> {
  const { error } = await settle(program.renderPage(client))
  expect(error).toBeInstanceOf(SocialSearchError)
  return String((error as Error).stack)
}

/** The lines of a stack that name the function `renderPage` of this file. */
const callerIn = (stack: string) =>
  stack.match(/^ +at (?:async )?\S*renderPage .*caller-frames\.test.*$/gm) ?? []

const search: Program = {
  title: 'a search',
  async renderPage(client) {
    await client.microblog.search(query)
  },
}

const usage: Program = {
  title: 'a call for one body',
  async renderPage(client) {
    await client.organization.usage()
  },
}

const walk: Program = {
  title: 'a walk',
  async renderPage(client) {
    await client.microblog.search(query).toArray({ limit: 100 })
  },
}

const programs: Program[] = [
  search,
  usage,
  {
    title: 'a call of a variable',
    async renderPage(client) {
      const call = client.organization.usage()
      await new Promise((resolve) => setTimeout(resolve, 1000))
      await call
    },
  },
  {
    title: 'a list that is free',
    async renderPage(client) {
      await client.mentions.list()
    },
  },
  {
    title: 'calls in Promise.all()',
    async renderPage(client) {
      await Promise.all([client.mentions.count(), client.microblog.search(query)])
    },
  },
  {
    title: 'then()',
    async renderPage(client) {
      await client.microblog.search(query).then(({ posts }) => posts.length)
    },
  },
  {
    title: 'finally()',
    async renderPage(client) {
      await client.microblog.search(query).finally(() => {})
    },
  },
  {
    title: 'for await',
    async renderPage(client) {
      for await (const post of client.microblog.search(query)) expect(post).toBeDefined()
    },
  },
  {
    title: 'pages()',
    async renderPage(client) {
      for await (const page of client.microblog.search(query).pages()) expect(page).toBeDefined()
    },
  },
  {
    title: 'toArray()',
    async renderPage(client) {
      await client.microblog.search(query).toArray({ limit: 1 })
    },
  },
  {
    title: 'withResponse() of a search',
    async renderPage(client) {
      await client.microblog.search(query).withResponse()
    },
  },
  {
    title: 'withResponse() of a call for one body',
    async renderPage(client) {
      await client.organization.usage().withResponse()
    },
  },
  {
    title: 'creditRates()',
    async renderPage(client) {
      await client.creditRates()
    },
  },
  {
    title: 'a search on a transport',
    async renderPage() {
      await microblog(createTransport({ baseUrl, apiKey })).search(query)
    },
  },
  {
    title: 'a list on a transport',
    async renderPage() {
      await mentions(createTransport({ baseUrl, apiKey })).list()
    },
  },
]

describe('the stack of an error has the async function that awaits', () => {
  it.each(programs)('$title', async (program) => {
    service.script(late)
    const stack = await stackOf(program)
    expect(callerIn(stack)).toHaveLength(1)
    // Its own frames come first.
    expect(stack).toMatch(/^AuthenticationError: .*\n +at .*outcome/)
  })

  const failures: (Program & { options: Partial<ClientOptions> })[] = [
    {
      title: 'params are invalid',
      options: {},
      async renderPage(client) {
        await client.microblog.search({ query: '' })
      },
    },
    { ...search, title: 'a budget refuses', options: { budget: new CreditBudget(1) } },
    { ...search, title: 'the service does not answer in time', options: { timeout: 1000 } },
    { ...usage, title: 'the deadline passes', options: { deadline: 1000 } },
    {
      ...search,
      title: 'the deadline passes in the queue',
      options: { deadline: 1000, limiter: closedLimiter },
    },
  ]
  it.each(failures)('when $title', async ({ options, ...program }) => {
    service.script(silence)
    expect(callerIn(await stackOf(program, makeClient(options)))).toHaveLength(1)
  })

  it('when a later page fails', async () => {
    service.script(ok(page(['1'], 'c2')), refused)
    expect(callerIn(await stackOf(walk))).toHaveLength(1)
  })

  it('when pages contradict each other', async () => {
    service.script(() => ok(page(['1'], 'same')))
    expect(callerIn(await stackOf(walk))).toHaveLength(1)
  })

  it('once when it is awaited in two places', async () => {
    service.script(refused)
    const call = makeClient().microblog.search(query)
    const program: Program = {
      title: 'twice',
      async renderPage() {
        await call
      },
    }
    await settle(program.renderPage(makeClient()).catch(() => {}))
    expect(callerIn(await stackOf(program))).toHaveLength(1)
  })
})

describe('the stack of an error', () => {
  it('stays as it is when the error is the reason of a signal', async () => {
    service.script(silence)
    const reason = new Error('mine')
    const { stack } = reason
    const { error } = await settle(
      makeClient().microblog.search(query, { signal: AbortSignal.abort(reason) }),
    )
    expect(error).toBe(reason)
    expect(reason.stack).toBe(stack)
  })

  it('stays as it is when it is not text', async () => {
    service.script(refused)
    Error.prepareStackTrace = (_, sites) => sites
    try {
      const { error } = await settle(search.renderPage(makeClient()))
      expect((error as Error).stack).toBeInstanceOf(Array)
    } finally {
      delete (Error as { prepareStackTrace?: unknown }).prepareStackTrace
    }
  })
})

describe('SocialSearch.fromEnv() without its variables', () => {
  it('makes calls whose errors name its caller and theirs', async () => {
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', undefined)
    const makeSearch = () => SocialSearch.fromEnv()
    const stack = await stackOf(search, makeSearch())
    expect(stack).toMatch(/^ConfigurationError: the environment variable .*\n[^]* at makeSearch /)
    expect(callerIn(stack)).toHaveLength(1)
  })
})
