import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  type Happened,
  aborted,
  effects,
  gateway,
  lost,
  misused,
  nobodys,
  own,
  proxy,
  redirects,
  refusedStreams,
  timedOut,
  unreadable,
  unsent,
  untrusted,
  verdictsOf,
} from './worlds.ts'
import type { Effect } from '../../../src/api/operation.ts'

/** What happens in each row of the table in docs/errors.md. */
const worlds: Readonly<Record<string, readonly (() => Happened)[]>> = {
  '400, 404': [() => own(400), () => own(404)],
  401: [() => own(401)],
  403: [() => own(403)],
  429: [() => own(429)],
  '502, 503': [() => own(502), () => own(503)],
  '500, 504': [() => own(500), () => own(504)],
  'an error status of a proxy or firewall': [400, 403, 404, 429, 500, 502, 503, 504].map(
    (status) => () => gateway(status),
  ),
  'no connection': unsent,
  'the certificate is not trusted, or a proxy refuses the tunnel (403, 407)': untrusted,
  'an HTTP/2 server refuses the request before it processes it': refusedStreams,
  'a reset or timeout after sending': lost,
  'a redirect or another 3xx': redirects,
  'a response that cannot be used': [unreadable, nobodys],
}

/** The rows of the table, by the words before the first colon. */
const rows = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  .split('## Was I charged?')[1]!
  .split('\n## ')[0]!
  .split('\n')
  .filter((line) => /^\| (?!What happened|-)/.test(line))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')),
  )
  .map(([what = '', charged = '', retried = '']) => ({ what: what.split(':')[0]!, charged, retried }))

describe('the table "Was I charged?" of docs/errors.md', () => {
  it('has a row for each failure after sending', () => {
    expect(rows.map(({ what }) => what)).toEqual([
      'nothing was sent',
      ...Object.keys(worlds).sort(inOrderOf(rows)),
    ])
  })

  describe.each(rows.filter(({ what }) => what in worlds))('$what', ({ what, charged, retried }) => {
    it.each(effects)('charges, and is retried, as it says: %s', async (effect) => {
      for (const world of worlds[what]!) {
        const failures = await verdictsOf(effect, world, { refreshable: true })
        const { status } = world() as { status?: number }
        const isNamed = /\brequestId\b/.test(charged) && world === unreadable
        const says = charged.startsWith('yes') ? (isNamed ? 'yes' : 'unknown') : charged
        // "For a free call, `charged` is always `no`."
        if (effect === 'metered')
          expect(failures.map((each) => each.tookEffect)).toEqual(failures.map(() => says))
        if (effect === 'read')
          expect(failures.map((each) => each.tookEffect)).toEqual(failures.map(() => 'no'))
        if (effect !== 'write') expect(failures).toHaveLength(attemptsIn(retried, effect, status))
      }
    })
  })
})

/** The attempts that the text of a cell promises. */
function attemptsIn(retried: string, effect: Effect, status = 0): number {
  if (retried === 'no') return 1
  if (retried.startsWith('once, with a new OAuth token')) return 2
  // "After 429s, it makes five attempts": without an announced time.
  if (retried.startsWith('yes, after the announced time')) return 5
  const [, most] = /up to (\d) attempts/.exec(retried)!
  if (retried.startsWith('free reads') && effect !== 'read') return 1
  if (retried.includes('for a 429 or 5xx') && status !== 429 && status < 500) return 1
  return Number(most)
}

function inOrderOf(all: readonly { what: string }[]): (a: string, b: string) => number {
  const place = (name: string) => all.findIndex(({ what }) => what === name)
  return (a, b) => place(a) - place(b)
}

/** All that can happen after sending, also what the table leaves out: an end by the caller, or by this package. */
const all = [...Object.values(worlds).flat(), aborted, timedOut, misused]

describe('judge() keeps the promise about', () => {
  it.each([aborted, timedOut, misused])('an end by the caller, or by this package: $name', async (world) => {
    const ends = await Promise.all(effects.map((effect) => verdictsOf(effect, world)))
    expect(ends.map((failures) => failures.map(({ tookEffect }) => tookEffect))).toEqual([
      ['no'],
      ['unknown'],
      ['unknown'],
    ])
  })

  it.each([
    ['what was not sent', [...unsent, ...refusedStreams], 3],
    ['what cannot be sent', untrusted, 1],
  ])('%s, whatever the call is', async (_, worlds, attempts) => {
    for (const world of worlds)
      for (const effect of effects) expect(await verdictsOf(effect, world)).toHaveLength(attempts)
  })

  it('a 401, which is tried once more with a fresh token', async () => {
    for (const effect of effects) {
      expect(await verdictsOf(effect, () => own(401), { refreshable: true })).toHaveLength(2)
      const ofGateway = await verdictsOf(effect, () => gateway(401), { refreshable: true })
      expect(ofGateway.map(({ refreshes }) => refreshes)).toEqual(effect === 'read' ? [true, false] : [false])
    }
  })

  it('retry.unknown, which makes paid calls and writes as patient as reads', async () => {
    for (const world of all) {
      const [read, ...others] = await Promise.all(
        effects.map((each) => verdictsOf(each, world, { retriesUnknown: true })),
      )
      const isPaid = others[0]![0]!.tookEffect === 'yes'
      expect(others.map(({ length }) => length)).toEqual([isPaid ? 1 : read!.length, read!.length])
    }
  })
})

describe('judge(), whatever arrives,', () => {
  const statuses = [
    ...[300, 301, 304, 305, 308, 400, 401, 402, 403, 404, 408, 409, 413, 418, 422, 425, 429, 431, 451, 499],
    ...[500, 501, 502, 503, 504, 505, 507, 511, 520, 529, 599],
  ]
  const waits = [undefined, '0', '7', '61', 'Fri, 27 Nov 2026 00:00:09 GMT', 'soon']
  const senders = { own, gateway, proxy }

  it.each(effects)(
    'never risks a second charge, nor comes back early, nor forgets an end: %s',
    async (effect) => {
      const violations: string[] = []
      for (const status of statuses)
        for (const [sender, answer] of Object.entries(senders))
          for (const after of waits)
            for (const [retriesUnknown, refreshable, leftMs] of [
              [false, false, Infinity],
              [false, true, 5000],
              [true, true, Infinity],
              [true, false, 0],
            ] as const) {
              const date = 'Fri, 27 Nov 2026 00:00:00 GMT'
              const headers = after === undefined ? {} : { 'retry-after': after, date }
              const world = () => answer(status, headers)
              const failures = await verdictsOf(effect, world, { retriesUnknown, refreshable, leftMs })
              const announced =
                { 0: 0, 7: 7000, 61: 61_000, soon: null }[String(after)] ??
                (after?.includes('GMT') ? 9000 : null)
              const expects = (holds: boolean, what: string): void => {
                if (!holds)
                  violations.push(
                    `${sender} ${status} ${after} ${retriesUnknown} ${refreshable} ${leftMs}: ${what}`,
                  )
              }
              for (const { tookEffect: held, wait, refusedForMs, refreshes } of failures) {
                expects(effect !== 'read' || held === 'no', 'a read has no effect')
                expects(wait === null || held === 'no' || retriesUnknown, 'no second charge')
                expects(wait === null || wait === 0 || wait < leftMs, 'in time')
                expects(
                  wait === null || refreshes || (wait >= (announced ?? 0) && wait <= 60_000),
                  'not early',
                )
                const closes = status === 429 && !(sender === 'proxy' && !announced)
                expects(closes ? refusedForMs! >= (announced ?? 0) : refusedForMs === undefined, 'closes')
                expects(!refreshes || (status === 401 && refreshable), 'refreshes')
              }
              // Announced waits of 7 s add up to 60 s.
              expects(failures.length <= (announced ? 9 : 5), 'an end')
              expects(
                (await verdictsOf(effect, world, { retriesUnknown, maxAttempts: 1 })).length === 1,
                'one attempt',
              )
            }
      expect(violations).toEqual([])
    },
  )

  it.each(effects)('takes nothing as charged or applied that was not sent: %s', async (effect) => {
    for (const world of all.filter((world) => world !== unreadable && world !== nobodys)) {
      const [first] = await verdictsOf(effect, () => ({ ...world(), sent: null }))
      expect(first!.tookEffect).toBe('no')
    }
  })
})
