import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { searchPath } from '../proxy/setup.ts'
import { ofCommit } from '../support/of-commit.ts'
import type { Proxied } from './pages/proxied.ts'
import { type Site, serveSite } from './proxy/server.ts'
import { type Listener, bundle } from './site.ts'
import { inEachBrowser } from './suite.ts'

declare const proxied: Proxied

/** Calls with each kind of misfortune. */
const calls = 20

/** Breaks the connection of a search when it arrives, when its answer begins, in the middle of that, or after it. */
const cuts = {
  'before the proxy gets the request': (incoming: IncomingMessage) => incoming.socket.destroy(),
  'while the service works': (incoming: IncomingMessage, outgoing: ServerResponse, listener: Listener) => {
    listener(incoming, outgoing)
    setTimeout(() => incoming.socket.destroy(), 2)
  },
  'before the answer': (incoming: IncomingMessage, outgoing: ServerResponse, listener: Listener) => {
    outgoing.writeHead = () => incoming.socket.destroy() as never
    listener(incoming, outgoing)
  },
  'within the answer': (incoming: IncomingMessage, outgoing: ServerResponse, listener: Listener) => {
    const { socket } = incoming
    const write = outgoing.write.bind(outgoing) as (part: Uint8Array, done: () => void) => boolean
    outgoing.write = ((part: Uint8Array) =>
      write(part.subarray(0, part.length / 2), () => socket.destroy())) as typeof outgoing.write
    listener(incoming, outgoing)
  },
  'after the answer': (incoming: IncomingMessage, outgoing: ServerResponse, listener: Listener) => {
    outgoing.on('finish', () => incoming.socket.end())
    listener(incoming, outgoing)
  },
}

let site: Site | undefined
afterEach(() => site?.close())

/** Breaks the connection of each search, the first time or every time that it arrives. */
async function open(cut: (typeof cuts)[keyof typeof cuts], every: boolean) {
  const seen = new Set<string>()
  const arrivals = { searches: 0 }
  const between =
    (listener: Listener): Listener =>
    (incoming, outgoing) => {
      if (!incoming.url?.endsWith(searchPath)) {
        listener(incoming, outgoing)
        return
      }
      arrivals.searches += 1
      const attempt = String(incoming.headers['social-search-attempt'])
      const isFirst = !seen.has(attempt)
      seen.add(attempt)
      if (every || isFirst) cut(incoming, outgoing, listener)
      else listener(incoming, outgoing)
    }
  site = await serveSite(await bundle('proxied.ts'), { budget: 10_000 }, between)
  return { origin: site.origin, sandbox: site.sandbox, backend: site.backend, seen, arrivals }
}

inEachBrowser(({ name, open: openPage }) => {
  describe.each(Object.keys(cuts) as (keyof typeof cuts)[])('a connection to the proxy breaks %s', (when) => {
    const place = Object.keys(cuts).indexOf(when) + name.length
    const how = ofCommit(['the first time', 'every time'], place)
    it(`${how}: each search is paid for once at most`, async () => {
      const { origin, sandbox, backend, seen, arrivals } = await open(cuts[when], how === 'every time')
      const page = await openPage(origin)
      const ledger = await page.evaluate((times) => proxied.search(times), calls)
      // What was in flight when its connection broke.
      await expect.poll(() => backend.credits.reserved).toBe(0)

      const { spent } = sandbox.ledger
      expect(seen.size).toBe(calls)
      expect(sandbox.requests.length).toBeLessThanOrEqual(calls)
      expect(spent).toBe(2 * sandbox.requests.length)
      expect(backend.credits).toMatchObject({ spent, uncertain: 0 })
      expect(ledger.spent).toBeLessThanOrEqual(spent)
      expect(ledger.spent + ledger.uncertain).toBe(2 * calls)
      // The browsers that send a request again get its answer.
      const repeats = name !== 'WebKit' && !['within the answer', 'after the answer'].includes(when)
      if (repeats) expect(arrivals.searches).toBeGreaterThan(calls)
      if (repeats && how === 'the first time') expect(ledger.failures).toEqual({})
    })
  })
})
