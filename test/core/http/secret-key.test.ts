import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ApiError, type Hooks, type SocialSearchError } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { type Step, apiKey, makeClient, ok, scriptedService, unreachable } from '../../support/service.ts'
import { query } from '../../support/search.ts'

const service = scriptedService()
virtualTime()

const bearers = () => service.arrivals.map(({ headers }) => headers.get('authorization'))

describe('the key', () => {
  const quoted = 'org_"quoted"\\key'
  const echo = (status: number, key: string): Step =>
    new Response(
      JSON.stringify({
        requestId: `req ${key}`,
        error: { code: 'x', message: `no: ${key}`, issues: [{ path: key, message: key }] },
      }),
      { status },
    )
  const escaped = (key: string) =>
    Array.from(key, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
  const failureWithId = (requestId: string) =>
    new Response(JSON.stringify({ requestId, error: { code: 'upstream_error' } }), { status: 502 })
  const answers: [name: string, step: (key: string) => Step][] = [
    ['400', (key) => echo(400, key)],
    ['401', (key) => echo(401, key)],
    ['403', (key) => echo(403, key)],
    ['429', (key) => echo(429, key)],
    ['502', (key) => echo(502, key)],
    ['502 as HTML', (key) => new Response(`<p>${key}</p>`, { status: 502 })],
    ['200 as HTML', (key) => ok(`<p>${key}</p>`)],
    ['200 of another shape', (key) => ok({ requestId: key, posts: key, meta: {} })],
    [
      '400 in escapes',
      (key) =>
        new Response(`{"requestId":"r","error":{"code":"x","message":"${escaped(key)}"}}`, { status: 400 }),
    ],
    ['200 in escapes', (key) => ok(`{"requestId":"r","posts":"${escaped(key)}"}`)],
    ['an id in pieces', (key) => failureWithId(`${key.slice(0, 3)}\u200b${key.slice(3)}`)],
    ['307', (key) => new Response(null, { status: 307, headers: { location: `https://x.example/?${key}` } })],
    ['a network failure', () => unreachable()],
  ]

  it.each(answers.flatMap(([name, step]) => [apiKey, quoted].map((key) => [name, key, step] as const)))(
    'does not show in errors, logs or inspection when the service echoes it with %s (%s)',
    async (_, key, step) => {
      service.script(step(key))
      const seen: unknown[] = []
      const write = (...line: unknown[]) => void seen.push(line)
      const client = makeClient({
        apiKey: key,
        logger: { debug: write, info: write, warn: write, error: write },
        retry: { maxAttempts: 2 },
      })
      const call = client.microblog.search(query)
      const { error } = await settle(call)
      seen.push(client, client.credits, call, error, (error as SocialSearchError).attempts)
      if (error instanceof ApiError) seen.push(error.issues)
      const deep = {
        depth: Infinity,
        showHidden: true,
        getters: true,
        maxStringLength: Infinity,
        maxArrayLength: Infinity,
      }
      const shown = [
        inspect(seen, deep),
        JSON.stringify(seen),
        JSON.stringify(error, Object.getOwnPropertyNames(error)),
        String((error as Error).stack),
        String(error),
      ].join('\n')
      expect(seen.length).toBeGreaterThan(5)
      expect(shown).not.toContain(key)
      expect(shown).not.toContain(JSON.stringify(key).slice(1, -1))
      expect(shown).not.toContain(encodeURIComponent(key))
    },
  )

  it('does not show in part when the text of a failure is shortened', async () => {
    const lengths = Array.from({ length: apiKey.length + 'Bearer '.length }, (_, i) => 200 - i)
    for (const length of lengths) {
      const words = `${'x'.repeat(length)} Bearer ${apiKey}`
      const { error } = await service.search({ fetch: () => Promise.reject(new TypeError(words)) })
      expect((error as SocialSearchError).message).toContain('x'.repeat(length))
      expect(inspect(error)).not.toContain(apiKey.slice(0, 4))
    }
  })

  it('does not show in a header of a response, nor in the name of one', async () => {
    const headers = { [`x-${apiKey}`]: '1', 'x-echo': `a ${apiKey}`, 'x-other': '2' }
    const { body } = ok()
    service.script(new Response(body, { headers }))
    const { value } = await settle(makeClient().microblog.search(query).withResponse())
    const found = Object.fromEntries(value?.response.headers ?? [])
    expect(found).toMatchObject({ 'x-echo': 'a [redacted]', 'x-other': '2' })
    expect(JSON.stringify(found)).not.toContain(apiKey)
  })

  it('is not seen by hooks, before or after sending', async () => {
    service.script(ok(), unreachable())
    const seen: string[] = []
    const see = (state: { request: Request }): void => {
      seen.push(inspect(state, { depth: Infinity, showHidden: true, getters: true }))
      seen.push(inspect([...state.request.headers]))
    }
    const hooks: Hooks = {
      beforeRequest: [see],
      afterResponse: [see],
      beforeError: [(state) => (see(state), state.error)],
    }
    const { client } = await service.search({ hooks })
    await service.search(client)
    expect(bearers()).toEqual([`Bearer ${apiKey}`, `Bearer ${apiKey}`])
    expect(seen).toHaveLength(8)
    expect(seen.join()).not.toContain(apiKey)
  })
})
