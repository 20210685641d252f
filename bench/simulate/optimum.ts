import { organizationLimits } from '../../src/api/limits.ts'
import type { Draws, Visit } from './draws.ts'
import { type Scenario, serviceMs } from './scenarios.ts'
import { type Window, createWindow } from './windows.ts'

/**
 * The minimum time, in milliseconds, in which any client can have made so many successful calls on each surface. It is
 * the schedule of a client that knows everything, has the organization for itself, and meets the shortest network
 * times: each request arrives the moment the window is open and one of the two slots is free.
 *
 * Visits are drawn by the order of admission. So the k-th admission of this schedule is at least as early as in any
 * other: an earlier admission never closes a window or keeps a slot for longer, and a later one never helps. Failed
 * requests count as admissions, as they do at the service; waits after them do not. With several surfaces, their order
 * is open, so the bound is the larger of two relaxations: the slots without windows, and each surface's window without
 * slots.
 */
export function optimum(
  scenario: Scenario,
  draws: Pick<Draws, 'phase' | 'visit'>,
  successes: readonly number[],
): number {
  const [shortest] = scenario.network
  const window = () => createWindow(scenario.window, draws.phase)
  const { inFlight } = organizationLimits
  const visit = (index: number): Visit => draws.visit(index)
  if (successes.length === 1) {
    return schedule({ successes: successes[0] ?? 0, slots: inFlight, window: window(), visit, shortest })
  }
  const successesInAll = successes.reduce((sum, count) => sum + count, 0)
  const bySlots = schedule({ successes: successesInAll, slots: inFlight, window: open, visit, shortest })
  const quickest: Visit = { ms: serviceMs[0], end: 'success', retryAfter: 0 }
  const byWindows = successes.map((count) =>
    schedule({ successes: count, slots: count, window: window(), visit: () => quickest, shortest }),
  )
  return Math.max(bySlots, ...byWindows)
}

const open: Window = { closedFor: () => 0, count: () => {} }

interface Task {
  readonly successes: number
  readonly slots: number
  readonly window: Window
  readonly visit: (index: number) => Visit
  /** Shortest latency to or from the service, in milliseconds. */
  readonly shortest: number
}

function schedule({ successes, slots, window, visit, shortest }: Task): number {
  const freeAt = Array.from({ length: slots }, () => shortest)
  let latest = shortest
  let end = 0
  for (let index = 0, done = 0; done < successes; index++) {
    const free = Math.min(...freeAt)
    latest = Math.max(latest, free)
    latest += window.closedFor(latest)
    window.count(latest)
    const { ms, end: fate } = visit(index)
    freeAt[freeAt.indexOf(free)] = latest + ms
    if (fate !== 'success') continue
    done++
    end = Math.max(end, latest + ms + shortest)
  }
  return end
}
