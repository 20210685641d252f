import { describe, expect, it } from 'vitest'
import { type PlanTerms, planLines, planOf } from '../../src/cli/watch-plan.ts'
import { type WatchState } from '../../src/extensions/watch/index.ts'
import { shiftDate } from '../clock/shift-date.js'
import { sandbox, social, useCommand } from './command.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const now = () => Date.now()
const watch = 'watch acme globex initech --once --budget 100/day --out posts.db'

/** What the runs of a schedule say, each hour from a minute after the next midnight on, and what they spend and find. */
async function runsOf(line: string, runs: number) {
  const midnight = day * Math.ceil(Date.now() / day)
  const all: { at: number; code: number; err: string; spent: number; posts: number }[] = []
  for (let run = 0; run < runs; run++) {
    const at = midnight + run * hour + minute
    shiftDate(at - Date.now())
    const before = sandbox.ledger.spent
    const { code, err } = await social(line)
    const posts = Number(/(\d+) new posts?/.exec(err)?.[1])
    all.push({ at, code, err, spent: sandbox.ledger.spent - before, posts })
  }
  return all
}

/** The time that a line names, in milliseconds since 1970: soon after the run. */
function timeIn(line: string, at: number): number {
  const [, date, time = ''] = /next check (?:(\S+) )?(\d\d:\d\d) /.exec(line) ?? []
  const local = new Date(at - new Date(at).getTimezoneOffset() * minute).toISOString().slice(0, 10)
  return new Date(`${date ?? local}T${time}`).getTime()
}

describe('an hourly watch of three brands with 100 credits a day', () => {
  useCommand({ posts: 0, now })

  it('says what it plans, when the next check is and why, and skips no check that is due and affordable', async () => {
    const runs = await runsOf(watch, 24)
    const [first, ...others] = runs
    expect(first?.err).toMatch(
      /^3 queries × 2 credits = 6 credits a check; 100 a day pay for one every 1 h 27 min\n/,
    )
    for (const { err } of others)
      expect(err).toMatch(
        /^3 queries × 2 credits × 24 checks = 144 a day; 100 a day pay for a check every 1 h 27 min\n/,
      )
    expect(runs.map(({ code }) => code)).toEqual(runs.map(() => 0))
    let due = 0
    for (const { at, err, spent } of runs) {
      const lines = err.split('\n').filter((line) => line.includes('next check'))
      // What was announced happens in the first run after that time.
      if (due > 0) expect(spent > 0, `${new Date(at).toISOString()}: ${err}`).toBe(at >= due)
      expect(lines).toHaveLength(spent > 0 ? 0 : 3)
      for (const line of lines)
        expect(line).toMatch(
          /^ {2}\w+: next check [\d :-]+ \(100 credits a day pay for one every 1 h 27 min(; few posts come now)?\)$/,
        )
      due = lines.length === 0 ? 0 : timeIn(lines[0] ?? '', at)
    }
    // Sixteen checks of six credits are all that the budget pays for.
    expect(runs.reduce((sum, { spent }) => sum + spent, 0)).toBe(96)
    const advice =
      'Runs without a check cost nothing. To have fewer, start one every 1 h 27 min. To check in each, raise the budget to 144/day\n'
    expect(runs.filter(({ err }) => err.includes(advice))).toHaveLength(1)
    expect(runs.filter(({ err }) => err.includes('Runs without'))).toHaveLength(1)
  })
})

describe('watches that share a budget', () => {
  useCommand({ posts: 0, now })

  it('say so, and `budget` shows their plans', async () => {
    await social('watch acme globex --once --budget 100/day --out brands.db')
    const { err } = await social('watch tea --once --budget 100/day --out tea.db')
    expect(err).toContain(
      'This budget also pays for the watch of acme, globex (brands.db). Each plans to spend all of it: let one watch check all queries\n',
    )
    const { out } = await social('budget')
    expect(out).toContain(
      '  acme, globex (brands.db): 2 queries × 2 credits = 4 credits a check; 100 a day pay for one every',
    )
    expect(out).toContain(
      '  tea (tea.db): 1 query × 2 credits = 2 credits a check; 100 a day pay for one every 29 min\n',
    )
    expect(out).toContain('  2 watches share this budget, and each plans to spend all of it\n')
    // One that has not run for days spends nothing.
    shiftDate(3 * day)
    expect((await social('watch milk --once --budget 100/day --out milk.db')).err).not.toContain(
      'This budget',
    )
    expect((await social('budget')).out).not.toContain('tea')
  })

  it('do not count a watch twice that runs again', async () => {
    for (let run = 0; run < 2; run++) expect((await social(watch)).err).not.toContain('This budget')
    expect((await social('budget')).out.match(/acme/g)).toHaveLength(1)
  })
})

describe('planLines()', () => {
  const at = Date.UTC(2026, 10, 20)
  const terms: PlanTerms = { price: 2, minInterval: 15 * minute, maxPages: 10, once: true }
  /** Of a watch that has found so many posts in a day, and has a gap of some hours. */
  const stateOf = (posts: number, gapHours = 0): WatchState => {
    const time = (hours: number) => new Date(at - hours * hour).toISOString()
    const span = { ids: ['2'], next: { cursor: '2' }, newest: time(0), oldest: time(1) }
    const last = { ids: ['1'], next: null, newest: time(1 + gapHours), oldest: time(24) }
    return {
      search: '',
      spans: gapHours === 0 ? [{ ...span, next: null }] : [span, last],
      pace: { at, fast: [posts / 8, 3 * hour], slow: [posts, day] },
    }
  }
  const linesOf = (states: readonly (WatchState | null)[], more: Partial<PlanTerms>) =>
    planLines(planOf(states, { ...terms, ...more }))

  it.each<[string, readonly (WatchState | null)[], Partial<PlanTerms>, string[]]>([
    ['nothing of a run without a budget that resets', [null], {}, []],
    [
      'what a watch that runs costs',
      [null],
      { interval: 15 * minute, once: false },
      ['1 query × 2 credits × 96 checks = 192 a day without new posts'],
    ],
    [
      'that a budget pays for each check',
      [null, null],
      { interval: hour, budget: { limit: 6000, every: 'month' } },
      ['2 queries × 2 credits × 24 checks = 96 a day; 6,000 a month pay for a check every 1 h'],
    ],
    [
      'what an hour pays for',
      [null],
      { price: 4, interval: 15 * minute, budget: { limit: 4, every: 'hour' } },
      ['1 query × 4 credits × 96 checks = 384 a day; 4 an hour pay for a check every 1 h 1 min'],
    ],
    [
      'that busy searches are checked more often',
      [stateOf(400), stateOf(4)],
      { interval: hour, budget: { limit: 100, every: 'day' } },
      ['2 queries × 2 credits × 24 checks = 96 a day; 100 a day pay for a check every 1 h to 7 h 25 min'],
    ],
    [
      'how many posts a budget pays for',
      [stateOf(3000)],
      { interval: hour, budget: { limit: 100, every: 'day' } },
      [
        '1 query × 2 credits × 24 checks = 48 a day; 100 a day pay for a check every 4 h 48 min',
        'Posts come faster than these checks read them: about 1,000 of 3,000 posts a day. To read more, raise the budget',
      ],
    ],
    [
      'how many posts the pages of its checks have, with the posts of gaps',
      [stateOf(240, 12)],
      { interval: 12 * hour, maxPages: 2, budget: { limit: 1000, every: 'day' } },
      [
        '1 query × 2 credits × 2 checks = 4 a day; 1,000 a day pay for a check every 12 h',
        'Posts come faster than these checks read them: about 80 of 460 posts a day. To read more, raise --max-pages',
      ],
    ],
  ])('says %s', (_, states, more, lines) => {
    expect(linesOf(states, more)).toEqual(lines)
  })
})
