import { describe, expect, it } from 'vitest'
import { termsIn } from '../../src/cli/period-budget.ts'
import { type PlanTerms, planLines, planOf } from '../../src/cli/watch-plan.ts'
import { type WatchState } from '../../src/extensions/watch/index.ts'
import { shiftDate } from '../clock/shift-date.js'
import { inTurn, sandbox, social, useCommand } from './command.ts'

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
    const check = '3 queries × 2 credits'
    const planOf = (err = '') => err.split('\n')[0]
    expect(planOf(first?.err)).toBe(`${check} = 6 credits a check; 100 a day pay for one every 1 h 27 min`)
    const plan = `${check} × 24 checks = 144 a day; 100 a day pay for a check every 1 h 27 min`
    for (const { err } of others) expect(planOf(err)).toBe(plan)
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
    const shared =
      'This budget also pays for the watch of acme, globex (brands.db). Each plans to spend all of it'
    const one = '2 queries × 2 credits = 4 credits a check; 100 a day pay for one every'
    const other = '1 query × 2 credits = 2 credits a check; 100 a day pay for one every 29 min\n'
    await inTurn(
      ['watch tea --once --budget 100/day --out tea.db', 0, `${shared}: let one watch check all queries\n`],
      ['budget', 0, `  acme, globex (brands.db): ${one}`],
      ['budget', 0, `  tea (tea.db): ${other}`],
      ['budget', 0, '  2 watches share this budget, and each plans to spend all of it\n'],
    )
    // One that has not run for days spends nothing.
    shiftDate(3 * day)
    await inTurn(
      ['watch milk --once --budget 100/day --out milk.db', 0, /^(?![^]*This budget)/],
      ['budget', 0, /^(?![^]*tea)/],
    )
  })

  it('do not count a watch twice that runs again', async () => {
    for (let run = 0; run < 2; run++) await inTurn([watch, 0, /^(?![^]*This budget)/])
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
  const linesOf = (states: readonly (WatchState | null)[], budget = '', more: Partial<PlanTerms> = {}) =>
    planLines(planOf(states, { ...terms, budget: termsIn(budget) as PlanTerms['budget'], ...more }))
  const [every, short] = ['pay for a check every', 'Posts come faster than these checks read them: about']

  const twice = { interval: 12 * hour, maxPages: 2 }
  const plans: Readonly<Record<string, readonly string[]>> = {
    'nothing of a run without a budget that resets': linesOf([null]),
    'what a watch that runs costs': linesOf([null], '', { interval: 15 * minute, once: false }),
    'that a budget pays for each check': linesOf([null, null], '6000/month', { interval: hour }),
    'what an hour pays for': linesOf([null], '4/hour', { price: 4, interval: 15 * minute }),
    'that busy searches are checked more often': linesOf([stateOf(400), stateOf(4)], '100/day', {
      interval: hour,
    }),
    'how many posts a budget pays for': linesOf([stateOf(3000)], '100/day', { interval: hour }),
    'how many posts its pages have, with those of gaps': linesOf([stateOf(240, 12)], '1000/day', twice),
  }
  const said = [
    [],
    ['1 query × 2 credits × 96 checks = 192 a day without new posts'],
    [`2 queries × 2 credits × 24 checks = 96 a day; 6,000 a month ${every} 1 h`],
    [`1 query × 4 credits × 96 checks = 384 a day; 4 an hour ${every} 1 h 1 min`],
    [`2 queries × 2 credits × 24 checks = 96 a day; 100 a day ${every} 1 h to 7 h 25 min`],
    [
      `1 query × 2 credits × 24 checks = 48 a day; 100 a day ${every} 4 h 48 min`,
      `${short} 1,000 of 3,000 posts a day. To read more, raise the budget`,
    ],
    [
      `1 query × 2 credits × 2 checks = 4 a day; 1,000 a day ${every} 12 h`,
      `${short} 80 of 460 posts a day. To read more, raise --max-pages`,
    ],
  ]

  it.each(Object.entries(plans).map(([what, lines], row) => [what, lines, said[row]]))(
    'says %s',
    (_, lines, expected) => expect(lines).toEqual(expected),
  )
})
