import { inspect } from 'node:util'
import { vi } from 'vitest'
import { type ClientOptions, type Fetch, SocialSearch } from '../../src/index.ts'
import { http, rawServer } from '../support/raw-server.ts'
import { type Step, apiKey, failure, makeClient, ok } from '../support/service.ts'
import { type Fault, fault, must } from './case.ts'
import { ending, inVirtualTime, outcomeOf, scripted, success } from './observe.ts'
import { settle } from '../support/clock.ts'

const page = ok(success)
const ids = [
  'men_../x',
  'men_%2e%2e%2fx',
  'men_a/b',
  'men_a\\b',
  'men_?x=1',
  'men_#x',
  'men_',
  '',
  'men_\r\nx',
  '../men_1',
  'lis_1',
]

/** Makes a client with options that must not work, and tells how that ended and whether it printed a secret. */
async function refused(options: Partial<ClientOptions>, secret: string): Promise<string> {
  const construct = Promise.resolve().then(
    () => new SocialSearch({ baseUrl: 'https://api.example/v1', apiKey, ...options }),
  )
  const { error } = await outcomeOf(construct)
  return `${ending(error)}, ${reveals(secret, error) ? 'the value printed' : 'the value not printed'}`
}

/** Whether a secret shows in anything that can be seen of a value: its text, its JSON, its stack, its causes, hidden fields. */
function reveals(secret: string, value: unknown): boolean {
  const views = [
    inspect(value, { depth: Infinity, showHidden: true }),
    String(value),
    JSON.stringify({ value }),
  ]
  if (value instanceof Error) views.push(value.stack ?? '', inspect(value.cause, { showHidden: true }))
  return views.some((view) => view.includes(secret) || view.includes(secret.slice(0, 12)))
}

/** Lets a call fail, and tells where the key shows: in the error, the client, or the log. */
function leak(step: Step, options: Partial<ClientOptions> = {}): Promise<string> {
  return inVirtualTime(async () => {
    const lines: unknown[] = []
    const log = (...line: unknown[]): void => void lines.push(line)
    const { fetch } = scripted(step)
    const logger = { debug: log, info: log, warn: log, error: log }
    const client = makeClient({ fetch, logger, apiKey, ...options })
    const { error } = await settle(client.microblog.search({ query: 'rust' }))
    must(lines.length > 0, 'the log has lines')
    const places = Object.entries({ error, client, log: lines }).filter(([, place]) => reveals(apiKey, place))
    return `${ending(error)}; the key is in ${places.map(([name]) => name).join(' and ') || 'nothing'}`
  })
}

const echo = failure(400, `bad_${apiKey}`, {
  error: { message: `no ${apiKey}`, issues: [{ path: apiKey, message: `${apiKey} is bad` }] },
  top: { requestId: apiKey },
})

/** A client in a page of an origin, whose requests are noted. */
async function fromPage(baseUrl: string): Promise<string> {
  vi.stubGlobal('location', { href: 'https://app.example/page' })
  try {
    const urls: string[] = []
    const fetch: Fetch = (request) => (urls.push(request.url), Promise.resolve(page.clone()))
    const call = async () =>
      new SocialSearch({ baseUrl, auth: false, fetch }).microblog.search({ query: 'rust' })
    const { error } = await outcomeOf(call())
    return `${ending(error)}; ${urls.join() || 'nothing sent'}`
  } finally {
    vi.unstubAllGlobals()
  }
}

export const security: readonly Fault[] = [
  ...ids.map((id, index) =>
    fault(300 + index, `an id of ${JSON.stringify(id)}`, async () => {
      const { fetch, at } = scripted(page)
      const client = makeClient({ fetch })
      const calls = [client.mentions.get(id), client.mentions.setState(id, {})]
      const ends = (await Promise.all(calls.map(outcomeOf))).map(({ error }) => ending(error))
      return `${[...new Set(ends)].join(', ')} from get and setState; ${at.length} sent`
    }),
  ),
  ...(
    [
      [311, 'a line break', 'org_live_secret\r\nx-evil: 1'],
      [312, 'a character that is not ASCII', 'org_live_secretключ'],
      [313, 'a space', 'org_live_secret 1'],
    ] as const
  ).map(([id, what, key]) => fault(id, `a key with ${what}`, () => refused({ apiKey: key }, key))),
  fault(314, 'a function that returns a key with a line break', async () => {
    const { fetch, at } = scripted(page)
    const client = makeClient({ fetch, apiKey: () => 'org_live_secret\nx' })
    const { error } = await outcomeOf(client.microblog.search({ query: 'rust' }))
    return `${ending(error)}, ${reveals('org_live_secret', error) ? 'printed' : 'not printed'}; ${at.length} sent`
  }),
  fault(315, 'a header with a line break in its value', () =>
    refused({ headers: { 'x-token': 'org_live_secret\r\nx: y' } }, 'org_live_secret'),
  ),
  fault(316, 'an Authorization among the headers', () =>
    refused({ headers: { authorization: 'Bearer org_live_secret' } }, 'org_live_secret'),
  ),
  fault(317, 'a base URL of http on another machine', () =>
    refused({ baseUrl: 'http://api.example/v1/org_live_secret' }, 'org_live_secret'),
  ),
  fault(318, 'a base URL with a user name and a password', () =>
    refused({ baseUrl: 'https://user:org_live_secret@api.example/v1' }, 'org_live_secret'),
  ),
  fault(319, 'the key instead of the base URL', () => refused({ baseUrl: apiKey }, apiKey)),
  ...[
    '//evil.example/v1',
    '/\\evil.example/v1',
    '/\t/evil.example/v1',
    '\\\\evil.example',
    'javascript:alert(1)',
  ].map((baseUrl, index) =>
    fault(320 + index, `a base URL of ${JSON.stringify(baseUrl)} in a page`, () => fromPage(baseUrl)),
  ),
  fault(325, "a base URL that is a path of the page's own origin", () => fromPage('/api/social')),
  fault(326, 'the key, when the client is printed', () =>
    Promise.resolve(reveals(apiKey, makeClient()) ? 'present' : 'absent'),
  ),
  fault(327, 'the key, when fetch throws an error that contains the request', () =>
    leak(() => {
      const error = new TypeError(`fetch failed for Bearer ${apiKey}`)
      Object.assign(error, { request: { headers: { authorization: `Bearer ${apiKey}` } } })
      return Promise.reject(error)
    }),
  ),
  fault(328, 'the key, when no response arrives', () => leak(() => new Promise(() => {}))),
  fault(329, 'the key, when the service responds with 500', () => leak(failure(500, 'internal'))),
  fault(330, 'the service echoes the key in code, message, issues and requestId of an error', () =>
    leak(echo),
  ),
  fault(331, 'the service echoes the key in a page that is not JSON', () => leak(ok(`<h1>${apiKey}</h1>`))),
  fault(332, 'the service echoes the key as the name of a field, in a page of another shape', () =>
    leak(ok({ requestId: apiKey, [apiKey]: { [apiKey]: [apiKey] } })),
  ),
  fault(333, 'the service echoes a key that JSON escapes', async () => {
    const key = 'org_live_"quoted"\\5f2b'
    const fetch: Fetch = () => Promise.resolve(ok(`{"key":${JSON.stringify(key)}`))
    const { error } = await outcomeOf(makeClient({ fetch, apiKey: key }).microblog.search({ query: 'rust' }))
    const { body } = error as { body: string }
    return `${ending(error)}; ${body.includes('quoted') ? 'present' : 'absent'}`
  }),
  fault(334, 'the service echoes the key in a requestId, split by line breaks', () => {
    const requestId = `${apiKey.slice(0, 6)}\r\n${apiKey.slice(6)}`
    return leak(failure(502, 'upstream_error', { top: { requestId } }), { retry: false })
  }),
  fault(336, 'a function for headers that prints what it sees', async () => {
    let seen = ''
    const server = await rawServer((socket) => void socket.end(http('200 OK', JSON.stringify(success))))
    const client = makeClient({
      baseUrl: server.baseUrl,
      headers: (...seenByIt) => {
        seen += inspect(seenByIt, { depth: null, showHidden: true })
        return {}
      },
    })
    const { error } = await outcomeOf(client.microblog.search({ query: 'rust' }))
    await server.close()
    const there = server.requests.join().includes(`Bearer ${apiKey}`)
    return `${ending(error)}; the function saw ${seen.includes(apiKey) ? 'the' : 'no'} key, the service ${there ? 'did' : 'did not'}`
  }),
]
