import { expect, it } from 'vitest'
import { PermissionDeniedError, SocialSearch } from '../../src/index.ts'
import type { SandboxKey } from '../../src/extensions/sandbox/index.ts'
import { type SandboxServer, serveSandbox } from '../support/sandbox.ts'
import { launchChromium } from '../browser/chromium.ts'
import { Example, type Run, closing, serviceOf } from './example.ts'

const writer: SandboxKey = {
  key: 'secret_of_this_server',
  scopes: ['search:read', 'mentions:read', 'mentions:write'],
}
const serve = async () => closing(await serveSandbox({ keys: [writer] }))
const environmentOf = ({ baseUrl }: SandboxServer) => serviceOf({ baseUrl, apiKey: writer.key })
const originOf = (run: Run) => run.printed(/http:\/\/(127\.0\.0\.1|localhost):\d+(?=\D)/)

/** Searches through the proxy of a server, as a page would, and looks for the key in what the page gets. */
async function searchThrough(origin: string, sandbox: SandboxServer): Promise<SocialSearch> {
  const received: string[] = []
  const client = new SocialSearch({
    ...{ baseUrl: `${origin}/api/social`, auth: false, retry: false },
    async fetch(request) {
      const response = await fetch(request)
      received.push(JSON.stringify([...response.headers]), await response.clone().text())
      return response
    },
  })
  expect((await client.microblog.search({ query: 'coffee' })).posts).toHaveLength(20)
  expect(client.credits.spent).toBe(2)
  await expect(client.technews.search({ query: 'coffee' })).rejects.toThrow(PermissionDeniedError)
  expect(sandbox.ledger.spent).toBe(2)

  const error = { code: 'validation_error', message: `not for ${writer.key}` }
  sandbox.inject({ status: 400, body: { requestId: 'req_1', error } })
  await expect(client.microblog.search({ query: 'coffee' })).rejects.toThrow('not for')
  expect(received).toHaveLength(6)
  expect(received.join()).not.toContain(writer.key)
  return client
}

it.each([
  ['hono', 'node'],
  ['bun', 'bun'],
])('%s serves a proxy that keeps the key', async (name, types) => {
  const sandbox = await serve()
  const example = await Example.install(name)
  await example.checkTypes('server.ts', types)
  await searchThrough(await originOf(example.start(environmentOf(sandbox))), sandbox)
})

it('express says what to do when its port is busy', async () => {
  const sandbox = await serve()
  const example = await Example.install('express')
  const run = example.start({ ...environmentOf(sandbox), PORT: `${sandbox.port}` })
  expect(await run.ended()).toBe(1)
  const address = `127.0.0.1:${sandbox.port}`
  expect(run.output).toBe(`listen EADDRINUSE: address already in use ${address}; set PORT to a free port\n`)
})

it('express serves a proxy that keeps the key, for GET, POST and PATCH', async () => {
  const sandbox = await serve()
  const example = await Example.install('express')
  await example.checkTypes('server.ts', 'node')
  const client = await searchThrough(await originOf(example.start(environmentOf(sandbox))), sandbox)
  const { mentions } = (await client.mentions.list()) as unknown as { mentions: { id: string }[] }
  await client.mentions.setState(mentions[0]?.id ?? '', { state: 'done' })
})

it('worker serves a proxy that keeps the key, on workerd', async () => {
  const sandbox = await serve()
  const example = await Example.install('worker')
  const run = example.start(environmentOf(sandbox), 'start', '--port', '0', '--inspector-port', '0')
  await run.printed(/Ready on/)
  await searchThrough(await originOf(run), sandbox)
})

it('next builds without a key, and serves a page that searches through its proxy', async () => {
  const sandbox = await serve()
  const example = await Example.install('next')
  const build = example.start({}, 'build')
  expect(await build.ended(), build.output).toBe(0)
  const origin = await originOf(example.start(environmentOf(sandbox), 'start', '--port', '0'))
  expect(await (await fetch(origin)).text()).toContain('<h1>Search posts</h1>')

  const browser = closing(await launchChromium())
  const page = await browser.newPage()
  await page.goto(origin)
  // Until React has taken over the form, the browser would send it by itself.
  await page.waitForFunction(() =>
    Object.keys(document.querySelector('form') ?? {}).some((key) => key.startsWith('__react')),
  )
  await page.getByLabel('Query').fill('coffee')
  const isSeen = Promise.withResolvers<void>()
  await page.route('**/api/social/**', (route) => isSeen.promise.then(() => route.continue()))
  await page.getByText('Search', { exact: true }).click()
  expect(await page.getByText('Searching…').isDisabled()).toBe(true)
  isSeen.resolve()
  await page.locator('li').nth(19).waitFor()
  expect(await page.getByLabel('Query').inputValue()).toBe('coffee')
  expect(sandbox.requests[0]?.body).toMatchObject({ query: 'coffee' })

  sandbox.inject({ status: 502, times: 3 })
  await page.getByText('Search', { exact: true }).click()
  await page.getByRole('alert').getByText('502').waitFor()
})
