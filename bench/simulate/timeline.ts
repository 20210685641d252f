import { organizationLimits } from '../../src/api/limits.ts'
import { colors } from './bars.ts'
import type { Arrival } from './service.ts'
import { type Svg, alarm, element, faint, ink, line, muted, text } from './svg.ts'

const { windowMs, perMinute } = organizationLimits

const endMs = 12 * windowMs
const plotHeight = 46
const ticksHeight = 10

/** Position of a timeline. */
interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
}

export const timelineHeight = plotHeight + ticksHeight + 34

/** The number of requests admitted in the last 60 s, over time; below, a stroke for each refused one. */
export function timeline({ x, y, width }: Place, strategy: string, arrivals: readonly Arrival[]): Svg[] {
  const across = (at: number): number => x + (Math.min(at, endMs) / endMs) * width
  const bottom = y + 16 + plotHeight
  const up = (count: number): number => bottom - (count / perMinute) * (plotHeight - 4)
  const shown = arrivals.filter(({ at }) => at < endMs)
  const refused = shown.filter((arrival) => arrival.refused !== null)
  const admitted = shown.filter((arrival) => arrival.refused === null)
  const places = new Set(refused.map(({ at }) => Math.round(across(at) * 2) / 2))
  const strokes = [...places].map((at) => `M${at} ${bottom + 2}v${ticksHeight - 3}`)
  const minutes = Array.from({ length: endMs / windowMs / 2 + 1 }, (_, index) => index * 2)
  return [
    text(x, y + 10, strategy, { 'font-weight': 'bold' }),
    text(x + width, y + 10, `${admitted.length} admitted, ${refused.length} turned away`, {
      'text-anchor': 'end',
      fill: refused.length > 0 ? alarm : muted,
    }),
    line(x, up(perMinute), x + width, up(perMinute), faint),
    ...[0, perMinute].map((count) =>
      text(x - 5, up(count) + 4, String(count), { 'text-anchor': 'end', fill: muted }),
    ),
    element('path', { d: outline(admitted, across, up), fill: colors[strategy] ?? ink, opacity: 0.75 }),
    line(x, bottom, x + width, bottom, ink),
    element('path', { d: strokes.join(''), stroke: alarm, 'stroke-width': 0.5 }),
    ...minutes.map((minute) =>
      text(across(minute * windowMs), bottom + ticksHeight + 10, `${minute} min`, {
        ...{ 'text-anchor': 'middle', fill: muted, 'font-size': 9 },
      }),
    ),
  ]
}

/** Steps up when a request is admitted, and down 60 s later. */
function outline(
  admitted: readonly Arrival[],
  across: (at: number) => number,
  up: (count: number) => number,
): string {
  const steps = admitted
    .flatMap(({ at }) => [
      { at, change: 1 },
      { at: at + windowMs, change: -1 },
    ])
    .filter(({ at }) => at < endMs)
    // Who leaves the window makes room before the next one comes.
    .sort((a, b) => a.at - b.at || a.change - b.change)
  let count = 0
  const path = steps.map(({ at, change }) => {
    count += change
    return `H${across(at).toFixed(1)}V${up(count).toFixed(1)}`
  })
  return `M${across(0).toFixed(1)} ${up(0).toFixed(1)}${path.join('')}H${across(endMs).toFixed(1)}V${up(0).toFixed(1)}Z`
}
