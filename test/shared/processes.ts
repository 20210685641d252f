import { beforeEach, expect } from 'vitest'
import { type Changed, changeState } from '../../src/extensions/shared/limiter-change.ts'
import type { LimiterState, Rules } from '../../src/extensions/shared/limiter-state.ts'
import type { Report } from '../../src/extensions/shared/limiter-grants.ts'

const rules: Rules = { inFlight: 2, perMinute: 3, windowMs: 60_020, leaseMs: 15_000 }
export const restoreMs = 3000
export const granted = { reason: 'granted' }

/** Calls that wait at a surface, by default one at `:a`. */
export interface Ask {
  readonly surface?: string
  readonly calls?: number
}

/** What a process reports besides its name; it waits wherever it asks. */
export interface Reported extends Partial<Omit<Report, 'waiting'>> {
  readonly asks?: readonly Ask[]
}

/** What the store has. */
export let text: string | undefined
/** What each process has seen last. */
export let copies: Map<string, LimiterState>
/** When the requests of each process arrived at the latest. */
let arrivals: Map<string, Record<string, number[]>>
let states: number

/** Each test of a file begins with a store that nobody has used. */
export function useProcesses(): void {
  beforeEach(() => {
    const times = { version: 0, time: 0, clockOffset: 0, createdAt: 0, grantsFrom: 0 }
    text = JSON.stringify({ stateId: 'state 0', ...times, processes: {}, closures: {} })
    copies = new Map()
    arrivals = new Map()
    states = 1
  })
}

/** Replaces what the store has, or empties it. */
export const setText = (to: string | undefined): void => void (text = to)

/** Changes the text for one process, at some milliseconds after the first change. */
export function update(process: string, now: number, { asks = [], ...reported }: Reported = {}): Changed {
  const asked = new Map(asks.map(({ surface = ':a', calls = 1 }) => [surface, calls] as const))
  const report = (): Report => ({
    ...{ process, slots: 0, closures: [], arrivesWithinMs: 1000, offerMs: 200, requestsPerSlot: 1 },
    arrivals: Object.entries(arrivals.get(process) ?? {}),
    ...{ waiting: asked, ...reported },
  })
  const reading = { clock: now, readAt: now, receivedAt: now, previous: undefined }
  const changed = changeState(text, reading, copies.get(process), report, rules, `state ${states++}`)
  if (changed.isChanged) text = JSON.stringify(changed.state)
  copies.set(process, structuredClone(changed.state))
  arrivals.set(process, structuredClone(changed.state.processes[process]?.arrivals ?? {}))
  return changed
}

/** Asks for a slot, and returns it, or why there is none. */
export function ask(process: string, now: number, details: Ask = {}, reported: Reported = {}) {
  const { grants } = update(process, now, { asks: [details], ...reported })
  const { requests: count = 0, waitReason } = grants.get(details.surface ?? ':a') ?? {}
  return count === 0
    ? waitReason
    : { ...granted, ...(count > 1 && { count }), ...(waitReason && { next: waitReason }) }
}

/** Takes both slots, without a limit of the rate. */
export function takeSlots(now = 0): void {
  for (const process of ['1', '2']) expect(ask(process, now, { surface: '' })).toMatchObject(granted)
}
