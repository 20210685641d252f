import { programOf } from '../build.ts'
import { type Contestant, imports } from '../contestants.ts'
import type { Timed } from './calls.ts'
import type { Duration } from '../child/set-up.ts'
import type { Plan } from '../plan.ts'
import { measureIn } from '../processes.ts'
import { number, spreadText } from '../report.ts'
import { type Samples, inTurns, note, ratio, spread, totalRatio } from '../turns.ts'

/** Import and construction, in a new process each time; excludes Node's own start. */
export async function measureStart(
  contestants: readonly Contestant[],
  { startRounds }: Plan,
): Promise<Timed> {
  const wall: Samples = new Map()
  const cpu: Samples = new Map()
  await inTurns([imports, ...contestants], startRounds, async (contestant) => {
    const took = await measureIn<Duration>('start', [programOf(contestant)])
    note(wall, contestant.name, took.wall)
    note(cpu, contestant.name, took.cpu)
  })
  const rows = [imports, ...contestants].map(({ name }) => [
    name,
    spreadText(ratio(wall, name, imports.name)),
    number(totalRatio(cpu, name, imports.name)),
    number(spread(wall.get(name) ?? []).median),
  ])
  const title = 'Cold start: import and set up a client'
  return { wall, cpu, table: { title, head: ['', `× ${imports.name}`, 'in CPU', 'ms'], rows } }
}
