// What one process has of the shared limits: slots, requests that it may send with them, and why its other calls wait. Each event (a request
// begins or ends, a 429, a message, a reply of the store) makes a new state from the one before. Reading changes nothing: what the process
// reports, when its next update is due and how long a queue waits follow from the state and the moment. Its slots are for its requests
// in flight. It keeps those that become free for its next ones, for about as long as passing them on would take.

import { type SentRequest, marginMs } from '../../extend.ts'
import type { StateReading } from './clock.ts'
import { type Grant, type Report, type WaitReason, offerBounds } from './limiter-grants.ts'
import { type LimiterState, type Rules, unlimitedSurface } from './limiter-state.ts'

/** What a process has and knows. Times are monotonic, in milliseconds. */
export interface ProcessState {
  readonly slots: number
  readonly inFlight: number
  /** Until when a free slot may serve another request of this process, since passing it on would take as long. */
  readonly keepsSlotsUntil: number
  /** How long the latest request took, at first a guess. */
  readonly requestMs: number
  /** How long it takes this process to get a slot. */
  readonly grantMs: number
  /** When to update because something has happened here, or another process has asked for it. */
  readonly updateAt: number
  /** How long it waits for a message before it looks whether a slot is free: at first, and next. */
  readonly firstPollMs: number
  readonly pollMs: number
  /** When it looks: each message shows that others would come, too. */
  readonly pollAt: number
  readonly surfaces: Readonly<Record<string, SurfaceState>>
  readonly reported: Reported
}

/** What a process has and knows of one surface. */
interface SurfaceState {
  /** Its requests that others count. */
  readonly requests: readonly SentRequest[]
  /** How many more it may send with its slots. */
  readonly granted: number
  /** Whether the store has granted requests before the surface opens here: the next update asks for none. */
  readonly isGrantedEarly: boolean
  /** Why its calls wait, and when to ask again; undefined if they have not asked since the latest change. */
  readonly waitReason: (WaitReason & { readonly until: number; readonly askAt: number }) | undefined
  /** When it opens after a 429, until the others know. */
  readonly closure: number | undefined
}

/** In which times of a shared state monotonic times were reported: each reading of its clock is late by another time. */
export interface Reported {
  readonly stateId: string
  readonly times: ReadonlyMap<number, number>
}

/** All that a process reads besides its state. */
export interface Moment {
  readonly now: number
  readonly rules: Rules
  /** How long updates have taken lately, in milliseconds. */
  readonly slowestMs: number
  /** The calls of each surface that wait, and how long it is closed here after a 429, in milliseconds. */
  readonly queues: ReadonlyMap<string, { readonly length: number; readonly closedMs: number }>
}

/** Longest random delay, so that processes do not all update at once, in milliseconds. */
const jitterMs = 40

/** Longest time between two updates while a call waits for a slot, in milliseconds. */
const longestPollMs = 1000

/** Maximum time from the grant of a slot until its request is sent, in milliseconds; a later one is reported. */
export const longestSendMs = 20

/** How long a request takes to arrive at the latest, from when the process has the reply that grants it, in milliseconds. */
const arrivesWithinMs = marginMs + longestSendMs

/** A shorter request would be one of a test, or of a cache: then processes should still take turns. In milliseconds. */
const leastRequestMs = 50

/** @param hasMessages Whether a message should come before the process has to look for a slot. */
export function newProcess(hasMessages: boolean): ProcessState {
  const firstPollMs = hasMessages ? longestPollMs : 25
  return {
    ...{ slots: 0, inFlight: 0, keepsSlotsUntil: 0, requestMs: 100, grantMs: Infinity },
    ...{ updateAt: Infinity, firstPollMs, pollMs: firstPollMs, pollAt: Infinity },
    ...{ surfaces: {}, reported: { stateId: '', times: new Map() } },
  }
}

const newSurface: SurfaceState = {
  ...{ requests: [], granted: 0, isGrantedEarly: false },
  ...{ waitReason: undefined, closure: undefined },
}

const surfaceOf = (own: ProcessState, key: string): SurfaceState => own.surfaces[key] ?? newSurface

function withSurface(own: ProcessState, key: string, change: Partial<SurfaceState>): ProcessState {
  return { ...own, surfaces: { ...own.surfaces, [key]: { ...surfaceOf(own, key), ...change } } }
}

/** A call goes, in a free slot if there is one. */
export function began(own: ProcessState, key: string, request: SentRequest, moment: Moment): ProcessState {
  const inFlight = own.inFlight + 1
  const granted = Math.max(0, surfaceOf(own, key).granted - 1)
  const requests = key === unlimitedSurface ? [] : [...countedRequests(own, key, moment), request]
  return withSurface({ ...own, inFlight, slots: Math.max(own.slots, inFlight) }, key, { granted, requests })
}

/** A request ends: another one of this process gets its slot, or another process. */
export function ended(own: ProcessState, tookMs: number, moment: Moment): ProcessState {
  const requestMs = Math.max(leastRequestMs, tookMs)
  return giveBack({ ...own, inFlight: own.inFlight - 1, requestMs }, moment, 1)
}

/** A request has not left, so it does not count. */
export function unsent(own: ProcessState, key: string, request: SentRequest): ProcessState {
  return withSurface(own, key, { requests: surfaceOf(own, key).requests.filter((each) => each !== request) })
}

/**
 * Gives back the slots that no call may use. When the process may keep none any more, these are also the slots of requests that have
 * ended: others count that what it may send has arrived by then.
 */
export function giveBack(own: ProcessState, moment: Moment, justEnded = 0): ProcessState {
  const free = own.slots - own.inFlight
  const most = moment.now >= own.keepsSlotsUntil ? free - justEnded : Infinity
  let [kept, needed] = [own, 0]
  for (const [key, { length, closedMs }] of moment.queues) {
    const { granted, isGrantedEarly } = surfaceOf(own, key)
    const isClosed = closedMs > 0
    const used = isClosed ? 0 : Math.min(granted, length, most - needed)
    needed += used
    kept = withSurface(kept, key, {
      granted: used,
      isGrantedEarly: isGrantedEarly || (isClosed && granted > 0),
    })
  }
  return free > needed ? updateSoon({ ...kept, slots: own.slots - free + needed }, moment) : kept
}

/** A 429 closes a surface for all processes. */
export function closed(own: ProcessState, key: string, ms: number, moment: Moment): ProcessState {
  const closure = Math.max(moment.now + ms, surfaceOf(own, key).closure ?? 0)
  return updateSoon(withSurface(own, key, { closure }), moment)
}

/** The others have to know something. */
export function updateSoon(own: ProcessState, { now }: Moment): ProcessState {
  return { ...own, updateAt: now }
}

/** A message asks for an update in so many milliseconds, or for none. The latest one says whose turn it is. */
export function woken(own: ProcessState, ms: number, random: number, moment: Moment): ProcessState {
  const { now } = moment
  if (ms === 0 || own.updateAt <= now) return updateSoon(own, moment)
  return { ...own, updateAt: now + ms + random * jitterMs, pollAt: now + own.pollMs * (1 + random) }
}

/** An update begins, which reports what has happened. */
export function updating(own: ProcessState, moment: Moment): ProcessState {
  return { ...giveBack(own, moment), updateAt: Infinity }
}

/** A reply of the store. */
export interface Reply {
  readonly grants: ReadonlyMap<string, Grant>
  readonly tookMs: number
  /** What the process was when it reported, and in which times. */
  readonly reporter: ProcessState
  readonly reported: Reported
}

/** The store has replied: others know what was reported, and calls may be sent or know why they wait. */
export function replied(own: ProcessState, reply: Reply, random: number, moment: Moment): ProcessState {
  const { grants, tookMs, reporter, reported } = reply
  const { now, slowestMs, queues } = moment
  const slots = Array.from(grants.values()).reduce((sum, { slots }) => sum + slots, 0)
  // A single slow reply says little.
  const grantMs = slots > 0 ? Math.min(tookMs, 2 * own.grantMs) : own.grantMs
  const keepsSlotsUntil = slots > 0 ? now + Math.min(slowestMs, grantMs) : own.keepsSlotsUntil
  const pollMs = slots > 0 ? own.firstPollMs : own.pollMs
  const isPolling = Array.from(grants.values()).some(({ waitReason }) => waitReason?.reason === 'slot')
  let next: ProcessState = {
    ...{ ...own, slots: own.slots + slots, grantMs, keepsSlotsUntil, reported },
    pollMs: isPolling ? Math.min(pollMs * 1.5, longestPollMs) : pollMs,
    pollAt: now + pollMs * (1 + random),
  }
  for (const key of queues.keys()) {
    const { granted, closure } = surfaceOf(own, key)
    const { requests = 0, waitReason } = grants.get(key) ?? {}
    const { reason, ms = 0 } = waitReason ?? {}
    const askAt = now + ms + (reason === 'pace' ? 0 : random * jitterMs)
    next = withSurface(next, key, {
      ...{ granted: granted + requests, isGrantedEarly: false },
      waitReason: waitReason && { ...waitReason, until: now + ms, askAt },
      closure: closure === surfaceOf(reporter, key).closure ? undefined : closure,
    })
  }
  return next
}

/** The store has failed: calls may ask again. */
export function failed(own: ProcessState): ProcessState {
  return Object.keys(own.surfaces).reduce(
    (next, key) => withSurface(next, key, { isGrantedEarly: false, waitReason: undefined }),
    own,
  )
}

/** When a request arrived at the latest. */
const arrivalOf = ({ at, answered }: SentRequest): number => Math.min(at + arrivesWithinMs, answered)

/** The requests of a surface that others count. */
function countedRequests(own: ProcessState, key: string, { now, rules }: Moment): SentRequest[] {
  const { requests } = surfaceOf(own, key)
  return requests.filter((request) => now - arrivalOf(request) < rules.windowMs + marginMs)
}

/** How many calls of a surface ask for a slot. */
function askingCalls(own: ProcessState, key: string, { queues }: Moment): number {
  const { granted, isGrantedEarly } = surfaceOf(own, key)
  return isGrantedEarly ? 0 : Math.max(0, (queues.get(key)?.length ?? 0) - granted)
}

export function isWaiting(own: ProcessState, moment: Moment): boolean {
  return Array.from(moment.queues.keys()).some((key) => askingCalls(own, key, moment) > 0)
}

/** Whether a state without the entry of this process would lack something. */
export function isMissed(own: ProcessState, moment: Moment): boolean {
  const isCounted = ([key, { closure = 0 }]: [string, SurfaceState]): boolean =>
    closure > moment.now || countedRequests(own, key, moment).length > 0
  return own.slots > 0 || Object.entries(own.surfaces).some(isCounted)
}

/** Whether the process has a slot for the next call of a surface, or may get one without the store. */
export const hasGranted = (own: ProcessState, key: string): boolean => surfaceOf(own, key).granted > 0

/** Milliseconds until the next call of a surface may go; Infinity until an update says more. */
export function waitMs(own: ProcessState, key: string, { now, queues }: Moment): number {
  const { granted, waitReason } = surfaceOf(own, key)
  const { length = 0, closedMs = 0 } = queues.get(key) ?? {}
  if (granted > 0) return own.slots > own.inFlight ? closedMs : Infinity
  if (closedMs > 0) return closedMs
  const { reason, until = now } = waitReason ?? {}
  if (until > now) return reason === 'pace' ? until - now : Infinity
  return length === 0 ? 0 : Infinity
}

/** Milliseconds until the process may send its share of what the requests of all have left, as far as it knows them. */
export function localWaitMs(
  own: ProcessState,
  key: string,
  share: number,
  latest: { readonly state: LimiterState; readonly reading: StateReading } | undefined,
  moment: Moment,
): number {
  const { windowMs, perMinute } = moment.rules
  const { time = 0, receivedAt = -Infinity } = latest?.reading ?? {}
  const arrivals = Object.values(latest?.state.processes ?? {})
    .flatMap(({ arrivals }) => arrivals[key] ?? [])
    .map((at) => at - time + receivedAt)
    .filter((at) => at + windowMs > moment.now)
    .sort((a, b) => a - b)
  const sent = countedRequests(own, key, moment).filter(({ at }) => at > receivedAt).length
  const room = Math.min(perMinute, Math.ceil((sent + 1) / share))
  const last = arrivals[arrivals.length + room - perMinute - 1]
  return last === undefined ? 0 : last + windowMs - moment.now
}

/** When the next update is due. @param updatedAt When the latest one ended. */
export function nextUpdateAt(own: ProcessState, updatedAt: number, moment: Moment): number {
  const { queues, rules, now } = moment
  const asks = Array.from(queues, ([key, { closedMs }]) => {
    const { granted, waitReason } = surfaceOf(own, key)
    // Its slot may be free before a lease ends. It also gives up the place of calls that have left.
    if (waitReason?.reason === 'slot') return Math.min(waitReason.askAt, own.pollAt)
    if (waitReason !== undefined) return waitReason.askAt
    return granted === 0 && askingCalls(own, key, moment) > 0 ? now + closedMs : Infinity
  })
  const isLeased = own.slots > 0 || isWaiting(own, moment)
  return Math.min(own.updateAt, ...asks, isLeased ? updatedAt + rules.leaseMs / 3 : Infinity)
}

/**
 * What a process reports, and in which times of the state.
 *
 * @param ahead How far the time of the state is ahead of the monotonic time.
 */
export function reportOf(
  own: ProcessState,
  process: string,
  ahead: number,
  stateId: string,
  moment: Moment,
): { report: Report; reported: Reported } {
  const { slots, keepsSlotsUntil, requestMs, grantMs, surfaces } = own
  const { queues, slowestMs } = moment
  const before = own.reported.stateId === stateId ? own.reported.times : undefined
  const times = new Map<number, number>()
  const timeOf = (at: number): number => {
    const time = before?.get(at) ?? Math.ceil(at + ahead)
    times.set(at, time)
    return time
  }
  const arrivals = Object.entries(surfaces).map(([key, { granted }]) => {
    // Others count what it may send as if it were sent as late as possible.
    const latest = Array.from({ length: granted }, () => keepsSlotsUntil + arrivesWithinMs)
    const all = [...countedRequests(own, key, moment).map(arrivalOf), ...latest]
    return [key, key === unlimitedSurface ? [] : all.map(timeOf)] as const
  })
  const waiting = Array.from(queues.keys(), (key) => [key, askingCalls(own, key, moment)] as const)
  const report: Report = {
    ...{ process, slots, arrivals, waiting: new Map(waiting.filter(([, calls]) => calls > 0)) },
    closures: Object.entries(surfaces).flatMap(([key, { closure }]) =>
      closure === undefined ? [] : [[key, Math.ceil(closure + ahead)] as const],
    ),
    // It has the reply as much later, and may send the last request with its slot as much later again.
    arrivesWithinMs: arrivesWithinMs + 2 * Math.ceil(slowestMs),
    requestsPerSlot: Math.max(1, Math.floor(Math.min(slowestMs, grantMs) / requestMs)),
    // It may be updating when a slot is offered to it, and then needs a wake-up, and an update that may lose to others.
    offerMs: Math.min(offerBounds.most, Math.max(offerBounds.least, Math.ceil(slowestMs / 50) * 150 + 50)),
  }
  return { report, reported: { stateId, times } }
}
