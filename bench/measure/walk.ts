import { programOf } from '../build.ts'
import type { WalkResult } from '../child/walk.ts'
import { type Contestant, base, raw } from '../contestants.ts'
import type { Plan } from '../plan.ts'
import { measureIn } from '../processes.ts'
import { type Table, number, spreadText } from '../report.ts'
import { type Samples, inTurns, note, ratio, spread } from '../turns.ts'

/** Peak memory of a walk over HTTP, in a new process each time. */
export async function measureWalk(
  contestants: readonly Contestant[],
  { walkRounds }: Plan,
  items: number,
  baseUrl: string,
): Promise<{ peaks: Samples; table: Table }> {
  const peaks: Samples = new Map()
  const times: Samples = new Map()
  await inTurns(contestants, walkRounds, async (contestant) => {
    const args = [programOf(contestant), baseUrl, String(items)]
    const { peak, cpu } = await measureIn<WalkResult>('walk', args)
    note(peaks, contestant.name, peak)
    note(times, contestant.name, cpu)
  })
  const rows = contestants.map(({ name }) => [
    name,
    spreadText(ratio(peaks, name, raw.name)),
    spreadText(ratio(peaks, name, base.name)),
    spreadText(ratio(times, name, raw.name)),
    number(spread(peaks.get(name) ?? []).median),
  ])
  const title = `Most memory of a process that walks ${items.toLocaleString('en-US')} items over HTTP`
  return {
    peaks,
    table: { title, head: ['', `× ${raw.name}`, `× ${base.name}`, `CPU × ${raw.name}`, 'MB'], rows },
  }
}
