// What the processes of one organization share is one short JSON text in a store: which requests are in flight, when the latest ones arrived,
// and which processes wait, in one queue. A surface is the searches that share a rate limit. `changeState()` is one update of one process, as a pure function of the text that the store has: it brings
// the state up to date, puts in what the process reports, and gives the free slots to the first of the queue. The store is read and written in
// `limiter-sync.ts`. What holds, whatever happens:
//
// - No more requests are in flight than the organization may have, and no surface gets more than its number in any window.
// - Who has waited longest goes first, however far from the store it is: a slot waits for its process.
// - Everything has an id or a process. So an update may be repeated after one whose result is unknown.
// - A process that is silent for longer than its lease loses its slots, and waits no more. Its requests count until their window ends.
// - If the store loses the text, each process that knows it restores it, and nothing is granted for some seconds.
// - What waits changes nothing: a process that is refused again writes no new text until its lease is due.

import { type Limits, type SentRequest, arrivalOf, marginMs } from '../../extend.ts'
import { parsed } from '../../lib/json.ts'
import {
  type ReadTimes,
  type Snapshot,
  type StateChange,
  type VersionedState,
  contentOf,
  countChange,
  expectedTime,
  filtered,
  hasLost,
  leaseEnd,
  readState,
  timeOf,
} from './versioned-state.ts'

/** What all processes of an organization have to agree on. */
export interface Rules extends Limits {
  /** How long a silent process counts as alive, in milliseconds. */
  readonly leaseMs: number
}

/** A request that holds a slot, from its grant until its process reports its end. */
interface OpenRequest {
  readonly process: string
  readonly surface: string
  /** The state in which it was granted: in a later one, only its process knows whether it is still in flight. */
  readonly stateId: string
}

/** A process that waits, with its calls at one surface. */
interface QueuedProcess {
  readonly process: string
  readonly surface: string
  /** How many of its calls wait there; more than the slots of all make no difference. */
  readonly calls: number
}

/** All that the processes of one organization share. Times are in milliseconds since its first state was created. */
export interface LimiterState extends VersionedState {
  /** How far the time is ahead of the store's clock: the sum of all corrections. */
  clockOffset: number
  /** When this state was created, in place of none or of one that was lost. */
  createdAt: number
  /** Nothing is granted before. */
  grantsFrom: number
  /** Until when each process counts as alive that waits or has a request. */
  aliveUntil: Record<string, number>
  /** The requests that hold a slot, by their ids. */
  open: Record<string, OpenRequest>
  /** When the ended requests to each surface arrived at the latest, by their ids. */
  arrivals: Record<string, Record<string, number>>
  /** Who waits, from the first to the last. */
  queue: QueuedProcess[]
  /** When surfaces open that a 429 has closed. */
  closedUntil: Record<string, number>
}

/** A request of this process. */
export interface OwnRequest {
  readonly surface: string
  /** When it was sent; undefined while no call has it, and for good if it never was. */
  readonly sent: SentRequest | undefined
  readonly hasEnded: boolean
  /** When its surface opens, if a 429 has refused it. */
  readonly closedUntil?: number | undefined
}

/** What a process reports in one update. Its times are monotonic. */
export interface ProcessReport {
  readonly process: string
  /** Those in flight, and those whose end the store may not know yet. */
  readonly requests: ReadonlyMap<string, OwnRequest>
  /** How many of its calls wait at each surface. */
  readonly waiting: ReadonlyMap<string, number>
}

/** Stands for each process that knows a state: there is a new one, or a surface has closed. */
const everyone = '*'

/**
 * The message that has processes update; undefined if none has to. Messages only save waiting: processes poll from time to time in any
 * case.
 */
export function messageText(from: string, processes: readonly string[]): string | undefined {
  return processes.length === 0 ? undefined : JSON.stringify({ from, processes })
}

/** Whether a message has a process update. Other programs may send on the same channel. */
export function isFor(message: string, process: string): boolean {
  const { from, processes } = Object(parsed(message)) as { from?: unknown; processes?: unknown }
  const named: unknown[] = Array.isArray(processes) ? processes : []
  return from !== process && (named.includes(process) || named.includes(everyone))
}

/** The surface of calls without a limit of their rate. The names of others begin with a colon. */
const unlimitedSurface = ''

/** The name of a surface among all; null for calls without a limit of their rate. */
export function surfaceKey(name: string | null): string {
  return name === null ? unlimitedSurface : `:${name}`
}

/** How long nothing is granted after a loss, in milliseconds: all processes notice it by then, and restore what they know. */
const restoreMs = 3000

/** How long nothing is granted in a store without a state, in milliseconds: it may have lost one that other processes know. */
const emptyStoreMs = 200

/** What comes of an update. */
export interface Changed extends StateChange<LimiterState> {
  /** Which processes have to update. */
  readonly toNotify: readonly string[]
}

/**
 * Changes the shared text for one process. It has no effect but what it returns.
 *
 * @param latest The latest state that the process knows.
 * @param newId An id that is new.
 */
export function changeState(
  text: string | undefined,
  times: ReadTimes,
  latest: Snapshot<LimiterState> | undefined,
  report: ProcessReport,
  rules: Rules,
  newId: string,
): Changed {
  const { clock, readAt } = times
  const found = readState(text) as LimiterState | undefined
  const before = contentOf(found)
  const now = timeOf(found, times, latest)
  const state = found ?? newState(newId, clock, now)
  if (latest !== undefined && hasLost(found, latest.state)) {
    // The first process that restores makes it a new state. Another one has done so if it is newer than what this one knows.
    if (state.version < latest.state.version) Object.assign(state, { stateId: newId, createdAt: now })
    state.grantsFrom = state.createdAt + Math.min(restoreMs, rules.windowMs)
    restore(state, latest.state, now - expectedTime(latest, times))
  }
  dropDead(state, now)
  // The clock was read later: no request counts from a time before its arrival, and no surface opens early.
  putReport(state, report, now - readAt, rules, now)
  dropOutdated(state, rules, now)
  const granted = grantSlots(state, rules, now, newId)
  Object.assign(state, { time: now, clockOffset: now - clock })
  const isChanged = countChange(state, before)
  // Each process has to restore what it knows into a new state, or to know that a surface is closed.
  const hasClosed = Array.from(report.requests.values()).some(({ closedUntil }) => closedUntil !== undefined)
  const isForAll = state.stateId === newId || hasClosed
  const others = granted.filter((process) => process !== report.process)
  return { state, isChanged, toNotify: isForAll ? [everyone] : others }
}

/**
 * When the limits may allow the next call of a process at a surface, if a slot is free; at the latest change or before for now.
 *
 * @param ahead How many further calls of the process go before it.
 */
export function allowedFrom(
  state: LimiterState,
  process: string,
  surface: string,
  rules: Rules,
  ahead = 0,
): number {
  const { time, grantsFrom, closedUntil, queue, arrivals } = state
  const { windowMs } = rules
  const perMinute = surface === unlimitedSurface ? Infinity : rules.perMinute
  const others = queue.filter((queued) => queued.surface === surface)
  const place = Math.max(
    0,
    others.findIndex((queued) => queued.process === process),
  )
  const times = Object.values(arrivals[surface] ?? {}).sort((a, b) => a - b)
  // So many requests have to count no more. If those in flight are among them, this is too early. With 20 a minute, 18 that count, 1 in
  // flight and 1 process before it in the queue, the next call is the 21st: the oldest one has to count no more.
  const excess = inFlightAt(state, surface) + times.length + place + (ahead % perMinute) + 1 - perMinute
  const last = times[Math.min(excess, times.length) - 1] ?? -Infinity
  const first = Math.max(grantsFrom, closedUntil[surface] ?? 0, last + windowMs)
  const fullWindows = Math.floor(ahead / perMinute)
  return fullWindows === 0 ? first : Math.max(time, first) + fullWindows * windowMs
}

/** @param offset How far the time of the state is ahead of the monotonic time. */
function putReport(
  state: LimiterState,
  report: ProcessReport,
  offset: number,
  rules: Rules,
  now: number,
): void {
  const { process, requests, waiting } = report
  const stateTime = (at: number): number => Math.ceil(at + offset)
  for (const [id, request] of requests) putRequest(state, process, id, request, stateTime)
  // It has ended since: those who restored it did not know.
  const isRestored = (request: OpenRequest, id: string): boolean =>
    request.process === process && request.stateId !== state.stateId && !requests.has(id)
  state.open = filtered(state.open, (request, id) => !isRestored(request, id))
  const calls = new Map(waiting)
  state.queue = state.queue.flatMap((queued) => {
    if (queued.process !== process) return [queued]
    const count = calls.get(queued.surface) ?? 0
    calls.delete(queued.surface)
    return count > 0 ? [{ ...queued, calls: count }] : []
  })
  for (const [surface, count] of calls) state.queue.push({ process, surface, calls: count })
  state.aliveUntil[process] = leaseEnd(state.aliveUntil[process], now, rules.leaseMs)
}

function putRequest(
  state: LimiterState,
  process: string,
  id: string,
  { surface, sent, hasEnded, closedUntil }: OwnRequest,
  stateTime: (at: number) => number,
): void {
  if (closedUntil !== undefined)
    state.closedUntil[surface] = Math.max(stateTime(closedUntil), state.closedUntil[surface] ?? 0)
  if (hasEnded) end(state, id, surface, sent && stateTime(arrivalOf(sent)))
  // Others do not know it any more if the process was thought dead.
  else state.open[id] ??= { process, surface, stateId: state.stateId }
}

/** Frees the slot of a request, which counts from its arrival; undefined if it was never sent. */
function end(state: LimiterState, id: string, surface: string, arrival: number | undefined): void {
  state.open = filtered(state.open, (_, each) => each !== id)
  if (surface === unlimitedSurface || arrival === undefined) return
  // It may be reported twice.
  const known = state.arrivals[surface]?.[id] ?? -Infinity
  state.arrivals[surface] = { ...state.arrivals[surface], [id]: Math.max(arrival, known) }
}

/** Frees the slots of processes that are silent for too long, which wait no more. */
function dropDead(state: LimiterState, now: number): void {
  const aliveUntil = ({ process }: { process: string }): number => state.aliveUntil[process] ?? 0
  for (const [id, request] of Object.entries(state.open)) {
    // It may have been sent until then, and arrive a little later.
    if (aliveUntil(request) <= now) end(state, id, request.surface, aliveUntil(request) + marginMs)
  }
  state.queue = state.queue.filter((queued) => aliveUntil(queued) > now)
}

/** Drops what no longer counts. */
function dropOutdated(state: LimiterState, { windowMs }: Rules, now: number): void {
  for (const [surface, times] of Object.entries(state.arrivals))
    state.arrivals[surface] = filtered(times, (at) => at + windowMs > now)
  state.arrivals = filtered(state.arrivals, (times) => Object.keys(times).length > 0)
  state.closedUntil = filtered(state.closedUntil, (until) => until > now)
  const named = new Set([...Object.values(state.open), ...state.queue].map(({ process }) => process))
  state.aliveUntil = filtered(state.aliveUntil, (_, process) => named.has(process))
}

/** Gives the free slots to the first of the queue whose surfaces allow a request. Who gets one goes to the end of the queue. */
function grantSlots(state: LimiterState, rules: Rules, now: number, newId: string): string[] {
  const granted: string[] = []
  const mayGet = ({ surface }: { surface: string }): boolean => isAllowed(state, surface, rules, now)
  while (Object.keys(state.open).length < rules.inFlight) {
    const queued = state.queue.find(mayGet)
    if (queued === undefined) break
    const { process, surface, calls } = queued
    state.open[`${newId}${granted.length}`] = { process, surface, stateId: state.stateId }
    state.queue = state.queue.filter((each) => each !== queued)
    if (calls > 1) state.queue.push({ ...queued, calls: calls - 1 })
    granted.push(process)
  }
  return granted
}

function isAllowed(state: LimiterState, surface: string, { perMinute }: Rules, now: number): boolean {
  const { grantsFrom, closedUntil, arrivals } = state
  if (Math.max(grantsFrom, closedUntil[surface] ?? 0) > now) return false
  if (surface === unlimitedSurface) return true
  return inFlightAt(state, surface) + Object.keys(arrivals[surface] ?? {}).length < perMinute
}

/** How many requests to a surface are in flight. */
function inFlightAt({ open }: LimiterState, surface: string): number {
  return Object.values(open).filter((each) => each.surface === surface).length
}

/** An empty state. Versions follow the clock, so those of a later state are higher. */
function newState(stateId: string, clock: number, now: number): LimiterState {
  return {
    ...{ stateId, version: clock, time: now, clockOffset: 0, createdAt: now, grantsFrom: now + emptyStoreMs },
    ...{ aliveUntil: {}, open: {}, arrivals: {}, queue: [], closedUntil: {} },
  }
}

/**
 * Restores what a process knows of a lost state.
 *
 * @param offset How far the time of the new state is ahead of that of the lost one, in milliseconds.
 */
function restore(state: LimiterState, lost: LimiterState, offset: number): void {
  state.version = Math.max(state.version, lost.version)
  for (const [surface, times] of Object.entries(lost.arrivals))
    for (const [id, at] of Object.entries(times)) end(state, id, surface, at + offset)
  for (const [id, request] of Object.entries(lost.open))
    if (state.arrivals[request.surface]?.[id] === undefined) state.open[id] = request
  const isNew = ({ process, surface }: { process: string; surface: string }): boolean =>
    !state.queue.some((queued) => queued.process === process && queued.surface === surface)
  state.queue = [...lost.queue.filter(isNew), ...state.queue]
  keepLatest(state.aliveUntil, lost.aliveUntil, offset)
  keepLatest(state.closedUntil, lost.closedUntil, offset)
}

function keepLatest(times: Record<string, number>, lost: Record<string, number>, offset: number): void {
  for (const [name, time] of Object.entries(lost)) times[name] = Math.max(time + offset, times[name] ?? 0)
}
