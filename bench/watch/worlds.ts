/**
 * Runs watches in worlds of a service that lies, and prints what they lose, find twice and pay: `--worlds 1000 --days 5 --faulty 0.25
 * --late 0 --busy --jumps`. `--only SEED` runs one of the seeds that it has printed. Fails if a watch has lost posts, found some
 * twice, or spent too much.
 */
import { parseArgs } from 'node:util'
import FakeTimers from '@sinonjs/fake-timers'
import { type World, world } from '../../test/watch/worlds.ts'

const text = (value: string) => ({ type: 'string', default: value }) as const
const flag = { type: 'boolean', default: false } as const
const { values } = parseArgs({
  options: {
    ...{ worlds: text('200'), seed: text('1'), days: text('5'), faulty: text('0.25'), late: text('0') },
    ...{ busy: flag, jumps: flag, only: { type: 'string' } },
  },
})
const clock = FakeTimers.install({ toFake: ['Date'] })
const options = {
  ...{ days: Number(values.days), faulty: Number(values.faulty), late: Number(values.late) },
  ...{ isBusy: values.busy, hasJumps: values.jumps },
}
const seeds = values.only
  ? [values.only]
  : Array.from({ length: Number(values.worlds) }, (_, n) => `${values.seed} ${n}`)
const all: World[] = []
for (const seed of seeds) {
  const result = await world({ seed, ...options }, (time) => clock.setSystemTime(time))
  all.push(result)
  const { lost, lostForGood, doubles, excess, gaps } = result
  if (values.only || lost + lostForGood + doubles + gaps > 0 || excess > 0)
    console.log(seed, JSON.stringify(result))
}
const sum = (of: (result: World) => number): number => all.reduce((total, each) => total + of(each), 0)
const count = (is: (result: World) => boolean): number => all.filter(is).length
const [losing, lost] = [count((each) => each.lost > 0), sum((each) => each.lostForGood)]
const [doubles, over] = [sum((each) => each.doubles), count(({ excess }) => excess > 0)]
const pages = (20 * sum((each) => each.pages)) / sum((each) => each.found)
console.log(
  `${all.length} worlds: ${losing} lost posts at some moment, ${lost} posts lost for good, ${doubles} found twice, ` +
    `${over} over the limit of a day, ${count(({ gaps }) => gaps > 0)} with gaps in the end; ` +
    `${sum((each) => each.found)} posts, ${pages.toFixed(2)} pages for 20`,
)
process.exit(losing + lost + doubles + over > 0 ? 1 : 0)
