import { createServer } from 'node:http'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { Browser, Page } from 'playwright-core'
import { type SandboxServer, serveSandbox } from 'social-search-sdk/sandbox/node'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { launchChromium } from '../../browser/chromium.ts'
import { closed, listening } from '../../support/listening.ts'
import type { App } from './app.ts'

declare const app: App

let browser: Browser
let origin: string
let sandbox: SandboxServer
let page: Page

/** Serves a page with the script of each framework. */
const site = createServer((request, response) => {
  const [path = '', isScript] = (request.url ?? '').split('.')
  if (isScript) response.setHeader('content-type', 'text/javascript').end(scripts.get(path))
  else
    response
      .setHeader('content-type', 'text/html')
      .end(`<!doctype html><body><script src="${path}.js"></script>`)
})
const scripts = new Map<string, string>()

beforeAll(async () => {
  for (const framework of ['react', 'vue']) {
    const { outputFiles } = await build({
      entryPoints: [join(import.meta.dirname, `${framework}.ts`)],
      ...{ bundle: true, write: false, logLevel: 'error' },
      define: { 'process.env.NODE_ENV': '"development"' },
    })
    scripts.set(`/${framework}`, outputFiles[0]!.text)
  }
  origin = await listening(site)
  browser = await launchChromium()
})
afterAll(async () => {
  await browser.close()
  await closed(site)
})
beforeEach(async () => void (sandbox = await serveSandbox({ limits: { perMinute: false } })))
afterEach(async () => {
  await page.context().close()
  await sandbox.close()
})

async function open(framework: string): Promise<void> {
  page = await browser.newPage()
  page.setDefaultTimeout(10_000)
  await page.goto(`${origin}/${framework}`)
  await page.waitForFunction(() => 'start' in globalThis)
  await page.evaluate(
    (options) => void Object.assign(globalThis, { app: globalThis.start(options) }),
    sandbox.clientOptions(),
  )
}

const shows = (expected: number | string) =>
  page.waitForFunction((expected) => app.shown() === expected, expected)

async function mountThreePages(): Promise<void> {
  await page.evaluate(() => app.mount())
  await shows(20)
  for (const posts of [40, 60]) {
    await page.evaluate(() => app.next())
    await shows(posts)
  }
}

/** Time for whatever an event sets off, and for the answers. */
const settle = () => page.waitForTimeout(500)

async function focus(): Promise<void> {
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  await settle()
}

async function reconnect(): Promise<void> {
  await page.context().setOffline(true)
  await page.context().setOffline(false)
  await settle()
}

async function remount(): Promise<void> {
  await page.evaluate(() => {
    app.unmount()
    app.mount()
  })
  await settle()
}

describe.each(['react', 'vue'])('infiniteSearchOptions() in a page of %s', (framework) => {
  it('buys each of three pages once when the window is focused, the network returns and the component mounts', async () => {
    await open(framework)
    await mountThreePages()
    expect(sandbox.ledger.spent).toBe(6)
    await focus()
    await reconnect()
    await remount()
    await shows(60)
    expect(sandbox.ledger.spent).toBe(6)
  })

  it('is charged once when a response is lost', async () => {
    // A reset would not do: Chromium itself may send such a request again.
    sandbox.inject({ cut: 'truncate' })
    await open(framework)
    await page.evaluate(() => app.mount())
    await shows('InvalidResponseError')
    await focus()
    await reconnect()
    await remount()
    expect(sandbox.ledger.spent).toBe(2)
  })
})
