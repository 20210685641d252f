import { base, imports, raw } from './contestants.ts'
import type { Sizes } from './measure/bundle.ts'
import type { Timed } from './measure/calls.ts'
import type { QueueFigures } from './measure/queue.ts'
import { type Table, number, spreadText } from './report.ts'
import { type Samples, ratio, totalRatio } from './turns.ts'

/** The measurements of a run. */
export interface Measured {
  sizes?: Sizes
  start?: Timed
  stub?: Timed
  http?: Timed
  queue?: Map<string, QueueFigures>
  walks: { items: number; peaks: Samples }[]
}

/** The figures that are comparable between machines, with a column for each of `names`. */
export function summarize(names: readonly string[], measured: Measured): Table {
  const { stub, http, start, sizes, queue, walks } = measured
  const kilobytes = (name: string): string => number((sizes?.get(name) ?? NaN) / 1000)
  const row = (title: string, cell: (name: string) => string): string[] => [title, ...names.map(cell)]
  const timed = (title: string, measure: Timed | undefined, than: string): string[][] => {
    if (measure === undefined) return []
    const { wall, cpu } = measure
    return [
      row(title, (name) => spreadText(ratio(wall, name, than))),
      row(`the same, in CPU`, (name) => number(totalRatio(cpu, name, than))),
    ]
  }
  const rows = [
    ...timed(`time of a search × ${base.name}, stub`, stub, base.name),
    ...timed(`time of a search × ${base.name}, HTTP`, http, base.name),
    ...timed('time of a search × bare ky, stub', stub, 'bare ky'),
    ...timed('time of a search × bare ky, HTTP', http, 'bare ky'),
    ...timed(`import and construct × ${imports.name}`, start, imports.name),
    row(
      'one search / whole client, gzip kB',
      (name) => `${kilobytes(name)} / ${kilobytes(`${name}, whole client`)}`,
    ),
    row('time to queue a call, 20,000 waiting × 2,000', (name) => number(queue?.get(name)?.growth ?? NaN)),
    row('bytes of a waiting call', (name) => number(queue?.get(name)?.bytes ?? NaN)),
    ...walks.map(({ items, peaks }) =>
      row(`${items.toLocaleString('en-US')} items over HTTP, peak memory × ${raw.name}`, (name) =>
        spreadText(ratio(peaks, name, raw.name)),
      ),
    ),
  ]
  return {
    title: 'What holds on any machine',
    head: ['', ...names],
    rows: rows.filter(([, ...cells]) => cells.some((cell) => /\d/.test(cell))),
  }
}
