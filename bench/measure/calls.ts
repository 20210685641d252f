import { programOf } from '../build.ts'
import { type Contestant, base, raw } from '../contestants.ts'
import type { Plan } from '../plan.ts'
import type { Duration } from '../child/set-up.ts'
import { Child } from '../processes.ts'
import { type Samples, inTurns, note, ratio, spread, totalRatio } from '../turns.ts'
import { type Table, number, spreadText } from '../report.ts'

/** Calls of one sample: enough that the pause before it does not matter. */
const calls = 100

/** Wall clock, and processor time of the calling process. */
export interface Timed {
  wall: Samples
  cpu: Samples
  table: Table
}

/**
 * Measures one search after the other. Each contestant has a separate process, which pauses during the others' turns.
 * All processes are replaced a few times, since the same code may run faster in one than in another.
 */
export async function measureCalls(
  contestants: readonly Contestant[],
  { callProcesses, callRounds, warmUp }: Plan,
  baseUrl?: string,
): Promise<Timed> {
  const wall: Samples = new Map()
  const cpu: Samples = new Map()
  for (let processes = 0; processes < callProcesses; processes++) {
    const children: Warm[] = []
    for (const contestant of contestants) children.push(await warmUpChild(contestant, warmUp, baseUrl))
    await inTurns(children, callRounds, async ({ name, child }) => {
      const took = await child.ask<Duration>({ calls })
      note(wall, name, took.wall * 1000)
      note(cpu, name, took.cpu * 1000)
    })
    for (const { child } of children) await child.end()
  }

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

interface Warm {
  name: string
  child: Child
}

async function warmUpChild(contestant: Contestant, warmUp: number, baseUrl?: string): Promise<Warm> {
  const target = baseUrl === undefined ? [] : [baseUrl]
  const child = new Child('calls', [programOf(contestant), String(warmUp), ...target])
  await child.answer()
  return { name: contestant.name, child }
}
