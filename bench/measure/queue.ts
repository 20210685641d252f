import { programOf } from '../build.ts'
import type { QueueResult } from '../child/queue.ts'
import type { Contestant } from '../contestants.ts'
import type { Plan } from '../plan.ts'
import { measureIn } from '../processes.ts'
import { type Table, number } from '../report.ts'
import { inTurns, spread } from '../turns.ts'

const few = 2_000
const many = 20_000

export interface QueueFigures {
  /** Time to queue a call with many waiting, divided by the time with few. */
  growth: number
  /** Bytes of a waiting call. */
  bytes: number
}

/** Queues calls behind two that never get a response, in a new process for each number of calls. */
export async function measureQueue(
  contestants: readonly Contestant[],
  { crowds, queueRounds, queueBudgetMs }: Plan,
): Promise<{ figures: Map<string, QueueFigures>; tables: Table[] }> {
  const results = new Map<string, QueueResult[]>()
  const spent = new Map<string, number>()
  const keyOf = (name: string, calls: number): string => `${name} ${calls}`

  for (const calls of crowds) {
    await inTurns(contestants, queueRounds, async (contestant) => {
      const { name } = contestant
      const key = keyOf(name, calls)
      const known = results.get(key) ?? []
      const expected = known.length > 0 ? medianOf(known, 'queue') * calls : foretold(name, calls)
      if ((spent.get(name) ?? 0) + expected / 1000 > queueBudgetMs) return
      const result = await measureIn<QueueResult>(
        'queue',
        [programOf(contestant), String(calls)],
        ['--expose-gc', '--max-old-space-size=4096'],
      )
      results.set(key, [...known, result])
      spent.set(name, (spent.get(name) ?? 0) + (result.queue * calls) / 1000)
    })
  }

  /** Estimated microseconds for a number of calls, with quadratic growth; 0 without an earlier measurement. */
  function foretold(name: string, calls: number): number {
    const smaller = crowds.filter((crowd) => crowd < calls && results.has(keyOf(name, crowd))).at(-1)
    if (smaller === undefined) return 0
    const perCall = medianOf(results.get(keyOf(name, smaller)) ?? [], 'queue')
    // Fixed costs dominate small numbers.
    const grows = perCall > 40 && smaller >= few
    return perCall * calls * (grows ? calls / smaller : 1)
  }

  const cell = (name: string, calls: number, field: keyof QueueResult): string => {
    const known = results.get(keyOf(name, calls))
    return known === undefined ? 'too slow' : number(medianOf(known, field))
  }
  /** Of the largest number that was measured, so that fixed costs weigh least. */
  const bytesOf = (name: string): number => {
    const largest = crowds.filter((calls) => results.has(keyOf(name, calls))).at(-1) ?? 0
    return medianOf(results.get(keyOf(name, largest)) ?? [], 'bytes')
  }
  const growthOf = (name: string, field: 'queue' | 'abort'): number =>
    medianOf(results.get(keyOf(name, many)) ?? [], field) /
    medianOf(results.get(keyOf(name, few)) ?? [], field)

  const table = (title: string, field: 'queue' | 'abort'): Table => ({
    title,
    head: ['', `${count(many)} over ${count(few)}`, ...crowds.map((calls) => `${count(calls)} waiting`)],
    rows: contestants.map(({ name }) => [
      name,
      `${number(growthOf(name, field))} ×`,
      ...crowds.map((calls) => cell(name, calls, field)),
    ]),
  })
  return {
    figures: new Map(
      contestants.map(({ name }) => [name, { growth: growthOf(name, 'queue'), bytes: bytesOf(name) }]),
    ),
    tables: [
      {
        title: 'Memory of a waiting call',
        head: ['', 'bytes'],
        rows: contestants.map(({ name }) => [name, number(bytesOf(name))]),
      },
      table('Time to queue a call, in µs', 'queue'),
      table('Time to abort one of them, in µs', 'abort'),
    ],
  }
}

function medianOf(results: readonly QueueResult[], field: keyof QueueResult): number {
  return spread(results.map((result) => result[field])).median
}

function count(calls: number): string {
  return calls.toLocaleString('en-US')
}
