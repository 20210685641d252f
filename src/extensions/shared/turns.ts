import type { Look } from './looks.ts'
import { type LimiterState, type Place, type Rules, unpaced, without } from './state.ts'

/** The calls of this process that wait at a surface. */
export interface Ask {
  readonly surface: string
  readonly calls: number
}

/** Why a call waits. */
export interface WaitReason {
  /**
   * `quiet`: the state was lost, and others restore it. `closed`: a 429 closed the surface. `pace`: the surface has had its
   * requests. `slot`: all slots are taken. `turn`: another process goes first.
   */
  readonly reason: 'quiet' | 'closed' | 'pace' | 'slot' | 'turn'
  /** Milliseconds until it may end. */
  readonly ms: number
}

/** How long a slot waits for a process that may take it, in milliseconds: as long as the process needs, within bounds. */
export const turnMs = { least: 200, most: 3000 }

interface Waiting {
  readonly process: string
  readonly surface: string
  readonly place: Place
  readonly turnMs: number
}

/** Drops the places of other processes that did not take a slot in time: they have ended, or will ask again. */
export function dropSilent(state: LimiterState, process: string, rules: Rules, now: number): void {
  for (const { process: id, surface, place, turnMs } of called(state, rules, now)) {
    const entry = state.processes[id]
    if (entry === undefined || id === process || now - (place.calledAt ?? now) < turnMs) continue
    entry.places = without(entry.places, surface)
  }
}

/**
 * Takes slots while it is the turn of this process, and leaves its places where calls still wait.
 *
 * @returns How many slots each surface gets.
 */
export function grant(
  state: LimiterState,
  asks: readonly Ask[],
  process: string,
  arrivalMs: number,
  rules: Rules,
  now: number,
): Map<string, number> {
  const left = new Map(asks.map(({ surface, calls }) => [surface, calls]))
  const own = state.processes[process]
  for (;;) {
    const mine = called(state, rules, now).find((waiting) => waiting.process === process)
    if (own === undefined || mine === undefined) break
    const { surface, place } = mine
    const calls = (left.get(surface) ?? 1) - 1
    left.set(surface, calls)
    own.slots++
    if (surface !== unpaced) own.arrivals[surface] = [...(own.arrivals[surface] ?? []), now + arrivalMs]
    own.places = without(own.places, surface)
    // While it answered the call, others may have come in line again: they are behind it.
    if (calls > 0) own.places[surface] = { since: place.calledAt ?? now }
  }
  return new Map(asks.map(({ surface, calls }) => [surface, calls - (left.get(surface) ?? 0)]))
}

/** Why a process waits at a surface after it has taken its slots. */
export function waitReasonOf(
  state: LimiterState,
  surface: string,
  process: string,
  arrivalMs: number,
  rules: Rules,
  now: number,
): WaitReason | undefined {
  const own = state.processes[process]
  const place = own?.places[surface]
  if (own === undefined || place === undefined) return undefined
  const mine: Waiting = { process, surface, place, turnMs: own.turnMs }
  const openAt = state.closures[surface] ?? now
  if (state.quietUntil > now) return { reason: 'quiet', ms: state.quietUntil - now }
  if (openAt > now) return { reason: 'closed', ms: openAt - now }
  if (roomAt(state, surface, rules, now) <= 0) {
    const line = waitingAt(state).filter((other) => other.surface === surface)
    const before = line.slice(
      0,
      line.findIndex((other) => other.process === process),
    )
    const ahead = before.filter((other) => excess(state, mine, other) === 0).length + lead(state, mine, line)
    return { reason: 'pace', ms: msUntilRoom(state, surface, ahead, arrivalMs, rules, now) }
  }
  if (freeSlots(state, rules) === 0) return { reason: 'slot', ms: msUntilFree(state, now) }
  return { reason: 'turn', ms: longestTurn(called(state, rules, now)) }
}

/** Calls the processes that may take a slot now; the one after them looks whether they do. */
export function callNext(state: LimiterState, process: string, rules: Rules, now: number): Look[] {
  const first = called(state, rules, now)
  const places = new Set(first.map(({ place }) => place))
  const isNew = first.filter((each) => each.place.calledAt === undefined && each.process !== process)
  for (const { place } of waitingAt(state))
    place.calledAt = places.has(place) ? (place.calledAt ?? now) : undefined
  if (isNew.length === 0) return []
  const next = waitingAt(state).find(
    (each) =>
      each.process !== process && !places.has(each.place) && roomAt(state, each.surface, rules, now) > 0,
  )
  const looks = isNew.map((each): Look => [each.process, 0])
  return next === undefined ? looks : [...looks, [next.process, longestTurn(first)]]
}

function longestTurn(waiting: readonly Waiting[]): number {
  return Math.max(turnMs.least, ...waiting.map(({ turnMs }) => turnMs))
}

/** The places that may take a slot now. */
function called(state: LimiterState, rules: Rules, now: number): Waiting[] {
  return grantable(state, rules, now).slice(0, freeSlots(state, rules))
}

/** The places that could get a slot if enough were free, in their order. */
function grantable(state: LimiterState, rules: Rules, now: number): Waiting[] {
  if (state.quietUntil > now) return []
  const room = new Map<string, number>()
  const line = waitingAt(state)
  return line.filter((waiting) => {
    const left = room.get(waiting.surface) ?? roomAt(state, waiting.surface, rules, now)
    const isGrantable = left > lead(state, waiting, line)
    if (isGrantable) room.set(waiting.surface, left - 1)
    return isGrantable
  })
}

/**
 * How many requests a process is ahead of the others in line at its surface, together. It leaves them as many, so that all
 * get the same, however far they are from the store.
 */
function lead(state: LimiterState, mine: Waiting, line: readonly Waiting[]): number {
  const others = line.filter(({ surface }) => surface === mine.surface)
  return others.reduce((sum, other) => sum + Math.max(0, excess(state, mine, other)), 0)
}

function excess({ processes }: LimiterState, mine: Waiting, other: Waiting): number {
  const count = ({ process, surface }: Waiting): number => processes[process]?.arrivals[surface]?.length ?? 0
  return count(mine) - count(other)
}

/** How many requests a surface takes now. */
function roomAt(state: LimiterState, surface: string, { perMinute }: Rules, now: number): number {
  if ((state.closures[surface] ?? now) > now) return 0
  return perMinute - arrivalsAt(state, surface).length
}

function freeSlots({ processes }: LimiterState, { inFlight }: Rules): number {
  const taken = Object.values(processes).reduce((sum, { slots }) => sum + slots, 0)
  return Math.max(0, inFlight - taken)
}

/** The processes that wait, in their order. */
function waitingAt({ processes }: LimiterState): Waiting[] {
  const waiting = Object.entries(processes).flatMap(([process, { places, turnMs }]) =>
    Object.entries(places).map(([surface, place]) => ({ process, surface, place, turnMs })),
  )
  return waiting.sort((a, b) => a.place.since - b.place.since)
}

function arrivalsAt({ processes }: LimiterState, surface: string): number[] {
  const arrivals = Object.values(processes).flatMap(({ arrivals }) => arrivals[surface] ?? [])
  return arrivals.sort((a, b) => a - b)
}

/** Milliseconds until a slot expires, if no process gives one back. */
function msUntilFree({ processes }: LimiterState, now: number): number {
  const holders = Object.values(processes).filter(({ slots }) => slots > 0)
  return Math.min(...holders.map(({ until }) => until)) - now
}

/** Milliseconds until a surface takes a request, behind `ahead` others. */
function msUntilRoom(
  state: LimiterState,
  surface: string,
  ahead: number,
  arrivalMs: number,
  { perMinute, spanMs }: Rules,
  now: number,
): number {
  const arrivals = arrivalsAt(state, surface)
  const blocker =
    arrivals[Math.min(arrivals.length - perMinute + (ahead % perMinute), arrivals.length - 1)] ?? now
  // A response may still show that a request in flight arrived earlier.
  const arrivedAt = blocker > now ? Math.max(now, blocker - arrivalMs) : blocker
  return arrivedAt + spanMs - now + Math.floor(ahead / perMinute) * spanMs
}
