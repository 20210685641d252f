import { describe, expect, it } from 'vitest'
import { CommandError } from '../../src/cli/command-errors.ts'
import { type WatchEnding, WatchReport, endOf } from '../../src/cli/watch-report.ts'
import { ConnectionError, CreditBudgetError, UpstreamError } from '../../src/errors/index.ts'

const credits = { spent: 2, uncertain: 0 }
const gap = { from: '2026-11-20T14:02:00Z', to: '2026-11-20T14:31:00Z' }

/** A report of one look, with or without a gap; at a silent one, the service lists no posts. */
function reportOf(kind: 'whole' | 'gap' | 'silent'): WatchReport {
  const report = new WatchReport(['acme'])
  const batch = { name: 'acme', posts: [], known: [], credits, error: null, dueAt: null }
  const state = { search: 'acme', spans: [] }
  report.add({ ...batch, state, gaps: kind === 'whole' ? [] : [gap], hasGapToFill: kind === 'gap' })
  report.addPosts('acme', 3)
  return report
}

const upstream = new UpstreamError({ status: 502, code: 'upstream_error', message: 'failed' })
const lost = new ConnectionError('lost', { phase: 'exchange', reason: 'ECONNRESET', charged: 'unknown' })
const empty = new CreditBudgetError({ needed: 2, remaining: 0 })
const interrupted = new CommandError('interrupted', 'stopped')

const done = { credits, failure: undefined, reason: undefined, isClosed: false }
const terms = { outlook: undefined, price: 2, maxPages: 10 }
const left = (remaining: number) => ({ limit: 20, remaining, endsAt: null })

describe('endOf()', () => {
  it.each<[what: string, kind: 'whole' | 'gap', Partial<WatchEnding>, end: object]>([
    ['nothing is missing', 'whole', {}, {}],
    ['the output was closed', 'gap', { isClosed: true }, {}],
    ['one search failed', 'whole', { failure: upstream }, { code: 4 }],
    ['one search may have been charged', 'gap', { failure: lost }, { code: 6 }],
    ['an error ended it, whatever else failed', 'gap', { failure: lost, reason: empty }, { reason: empty }],
    ['the user stopped it', 'gap', { reason: interrupted }, { reason: interrupted }],
    [
      'the user stopped it after a look that may have been charged',
      'gap',
      { failure: lost, reason: interrupted },
      { code: 6 },
    ],
  ])('is as expected when %s', (_, kind, ending, end) => {
    const { lines, summary, ...reason } = endOf(reportOf(kind), { ...done, ...ending }, terms)
    expect(reason).toEqual(end)
    expect(lines?.[0]).toMatch(/^ {2}acme: 3 new posts/)
    expect(summary).toBe('3 new posts · 2 credits')
  })

  it.each([
    ['gap', left(18), '; if this happens each time, raise --max-pages'],
    ['gap', left(1), '; if this happens each time, raise --max-pages and the budget'],
    ['gap', undefined, '; if this happens each time, raise --max-pages'],
    ['silent', left(18), 'the service lists no posts there, and the next run asks again'],
  ] as const)('is a budget error for a %s, with %o', (kind, outlook, advice) => {
    const end = endOf(reportOf(kind), done, { ...terms, outlook })
    expect(end.reason).toMatchObject({ code: 'budget' })
    const { message } = end.reason as Error
    expect([message.startsWith('missing: acme '), message.endsWith(advice)]).toEqual([true, true])
    // The error has it.
    expect(end.lines?.filter((line) => line.startsWith('missing'))).toEqual([])
  })

  it('tells what is missing when something else is the reason, and what is left', () => {
    const { lines } = endOf(reportOf('gap'), { ...done, failure: upstream }, { ...terms, outlook: left(18) })
    expect(lines?.slice(-2)).toEqual([expect.stringMatching(/^missing: acme /), '18 of 20 credits left'])
  })
})
