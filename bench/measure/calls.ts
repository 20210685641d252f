import { programOf } from '../build.ts'
import { type Contestant, base, raw } from '../contestants.ts'
import type { Plan } from '../plan.ts'
import type { Duration } from '../child/set-up.ts'
import { Child } from '../processes.ts'
import { type Samples, inTurns, note, ratio, spread, totalRatio } from '../turns.ts'
import { type Table, number, spreadText } from '../report.ts'

/** Long enough that the clock's grain does not matter, in milliseconds. */
const sampleMs = 15

/** By the clock, and in work of the process that calls. */
export interface Timed {
  wall: Samples
  cpu: Samples
  table: Table
}

/** One search after the other, each contestant in a process of its own, which rests while it is the others' turn. */
export async function measureCalls(
  contestants: readonly Contestant[],
  { callRounds, warmUp }: Plan,
  baseUrl?: string,
): Promise<Timed> {
  const wall: Samples = new Map()
  const cpu: Samples = new Map()
  const children: { name: string; child: Child; calls: number }[] = []
  for (const contestant of contestants) {
    const child = new Child('calls', [
      programOf(contestant),
      String(warmUp),
      ...(baseUrl === undefined ? [] : [baseUrl]),
    ])
    const first = await child.answer<Duration>()
    children.push({ name: contestant.name, child, calls: Math.ceil(sampleMs / first.wall) })
  }
  await inTurns(children, callRounds, async ({ name, child, calls }) => {
    const took = await child.ask<Duration>({ calls })
    note(wall, name, took.wall * 1000)
    note(cpu, name, took.cpu * 1000)
  })
  for (const { child } of children) await child.end()

  const rows = contestants.map(({ name }) => [
    name,
    spreadText(ratio(wall, name, base.name)),
    number(totalRatio(cpu, name, base.name)),
    spreadText(ratio(wall, name, raw.name)),
    number(spread(wall.get(name) ?? []).median),
  ])
  const title = `Time of a search of twenty posts, ${baseUrl === undefined ? 'answered on the spot' : 'over HTTP'}`
  const head = ['', `× ${base.name}`, 'in CPU', `× ${raw.name}`, 'µs']
  return { wall, cpu, table: { title, head, rows } }
}
