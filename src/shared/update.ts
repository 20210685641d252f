import { type LimiterState, type Place, unpaced } from './state.ts'

/** What all processes of an organization have to agree on. */
export interface Rules {
  /** Requests in flight. */
  readonly inFlight: number
  /** Requests to a surface within a span. */
  readonly perMinute: number
  /** How long a request counts from its arrival, in milliseconds. */
  readonly spanMs: number
  /** How long a process keeps its slots and places without an update, in milliseconds. */
  readonly leaseMs: number
}

/** A call of this process that wants to be sent. */
export interface Ask {
  readonly surface: string
  /** Requests within a span: the limit of its client, or of the organization if that is higher. */
  readonly limit: number
  /** How long the request takes to arrive at the latest, in milliseconds. */
  readonly arrivalMs: number
  /** Whether another call waits behind it. */
  readonly hasNext: boolean
}

/** What a process tells in one update: all of its part of the state, so that an update that was lost needs no repetition. */
export interface Report {
  readonly process: string
  readonly slots: Iterable<number>
  /** Slots that have ended with a request. The others that it no longer names were not used. */
  readonly usedSlots: ReadonlySet<number>
  /** When its requests arrived at the latest, at each surface. */
  readonly arrivals: Iterable<readonly [surface: string, times: number[]]>
  /** When surfaces open that a 429 has closed. */
  readonly closures: Iterable<readonly [surface: string, openAt: number]>
  /** Since when it waits, at each surface; also where it asks. */
  readonly places: Iterable<readonly [surface: string, since: number]>
  readonly asks: readonly Ask[]
  /** Processes that have ended, as far as this one knows. */
  readonly ended: readonly string[]
  /** Numbers the next slot; never twice the same. */
  nextSlot(): number
}

/** Why a call waits. */
export interface Refusal {
  /**
   * `quiet`: the state was lost, and others restore it. `closed`: a 429 closed the surface. `probe`: its probe has not ended.
   * `pace`: the surface has had its requests. `slot`: all slots are taken. `turn`: another process goes first.
   */
  readonly reason: 'quiet' | 'closed' | 'probe' | 'pace' | 'slot' | 'turn'
  /** Milliseconds until it may end. */
  readonly ms: number
  /** How many processes go first. */
  readonly ahead: number
}

/** What comes of an update. */
export interface Update {
  /** For each surface that has asked, the number of its slot, or why it got none. */
  readonly outcomes: ReadonlyMap<string, number | Refusal>
  /** For each surface that has got a slot, why the next call waits; undefined if it may ask. */
  readonly nextRefusals: ReadonlyMap<string, Refusal>
  /** Processes that may take a slot from now on. */
  readonly called: readonly string[]
  /** The process after those, which looks whether they live. */
  readonly next: string | undefined
}

/** How long a slot waits for the process that may take it, in milliseconds. */
export const turnMs = 200

interface Waiting {
  readonly process: string
  readonly surface: string
  readonly place: Place
}

/** Brings a state up to date with one process, and grants what it asks for. Changes nothing but the state. */
export function update(state: LimiterState, report: Report, rules: Rules, now: number): Update {
  const { process } = report
  state.version++
  state.time = now
  tell(state, report, rules, now)
  expire(state, report, rules, now)
  endProbes(state, report)
  for (const [surface, openAt] of report.closures) close(state, surface, openAt, now)
  dropSilent(state, process, rules, now)
  const outcomes = new Map(report.asks.map((ask) => [ask.surface, grant(state, ask, report, rules, now)]))
  const nextRefusals = new Map<string, Refusal>()
  if (freeSlots(state, rules) === 0)
    for (const surface of outcomes.keys())
      nextRefusals.set(surface, {
        reason: 'slot',
        ms: msUntilFree(state, now),
        ahead: waitingAt(state).length,
      })
  return { outcomes, nextRefusals, ...callNext(state, process, rules, now) }
}

/** Puts down a process's part of the state, exactly as it tells it. */
function tell(state: LimiterState, report: Report, { leaseMs }: Rules, now: number): void {
  const { process, slots, arrivals } = report
  const before = state.processes[process]?.places
  const places = Array.from(report.places, ([surface, since]): [string, Place] => [
    surface,
    { since, calledAt: before?.[surface]?.calledAt },
  ])
  state.processes[process] = {
    ...{ until: now + leaseMs, slots: [...slots] },
    ...{ arrivals: Object.fromEntries(arrivals), places: Object.fromEntries(places) },
  }
}

/** Frees the slots and places of processes that have ended, and drops requests that no longer count. */
function expire(state: LimiterState, { ended }: Report, { spanMs }: Rules, now: number): void {
  for (const [id, entry] of Object.entries(state.processes)) {
    const isOver = entry.until <= now || ended.includes(id)
    if (isOver) Object.assign(entry, { slots: [], places: {} })
    const arrivals = Object.entries(entry.arrivals).map(([surface, times]) => [
      surface,
      times.filter((at) => at + spanMs > now),
    ])
    entry.arrivals = Object.fromEntries(arrivals.filter(([, times]) => times?.length)) as Record<
      string,
      number[]
    >
    if (isOver && Object.keys(entry.arrivals).length === 0) state.processes = without(state.processes, id)
  }
}

/** Opens a surface whose probe has ended. A probe that was not sent, or whose process has ended, is due again. */
function endProbes(state: LimiterState, { process, usedSlots }: Report): void {
  for (const [surface, closure] of Object.entries(state.closures)) {
    const { probe } = closure
    if (probe === null || isInFlight(state, probe)) continue
    if (probe.process === process && usedSlots.has(probe.slot))
      state.closures = without(state.closures, surface)
    else closure.probe = null
  }
}

/** Closes a surface. A report that comes late makes no second probe due. */
function close(state: LimiterState, surface: string, openAt: number, now: number): void {
  const known = state.closures[surface]
  const probe = openAt > now ? null : (known?.probe ?? null)
  state.closures[surface] = { openAt: Math.max(openAt, known?.openAt ?? openAt), probe }
}

/** Drops the places of other processes that did not take a slot in time: they have ended, or will ask again. */
function dropSilent(state: LimiterState, process: string, rules: Rules, now: number): void {
  for (const waiting of grantable(state, rules, now).slice(0, freeSlots(state, rules))) {
    const { calledAt } = waiting.place
    const entry = state.processes[waiting.process]
    if (!entry || waiting.process === process || calledAt === undefined || now - calledAt < turnMs) continue
    entry.places = without(entry.places, waiting.surface)
  }
}

/** Takes a slot, or tells why not. */
function grant(state: LimiterState, ask: Ask, report: Report, rules: Rules, now: number): number | Refusal {
  const { surface, limit, arrivalMs } = ask
  const { process } = report
  const own = state.processes[process]
  const place = own?.places[surface]
  const closure = state.closures[surface]
  const refuse = (reason: Refusal['reason'], ms: number, ahead = 0): Refusal => ({ reason, ms, ahead })
  if (!own || !place) throw new Error('a process asks without a place')
  if (state.quietUntil > now) return refuse('quiet', state.quietUntil - now)
  if (closure !== undefined && closure.openAt > now) return refuse('closed', closure.openAt - now)
  if (closure?.probe) return refuse('probe', msUntilFree(state, now))

  const mine: Waiting = { process, surface, place }
  const isAhead = (other: Waiting): boolean => other.process !== process && goesBefore(other, mine)
  const room = limit - arrivalsAt(state, surface).length
  if (surface !== unpaced && room <= 0) {
    const ahead = waitingAt(state, surface).filter(isAhead).length
    return refuse('pace', msUntilRoom(state, ask, ahead, rules, now), ahead)
  }
  const ahead = grantable(state, rules, now).filter(isAhead)
  const free = freeSlots(state, rules)
  if (free === 0) return refuse('slot', msUntilFree(state, now), ahead.length)
  const aheadHere = ahead.filter((other) => other.surface === surface).length
  if (ahead.length >= free || aheadHere >= (closure === undefined ? room : 1))
    // The first one behind those that may take a slot looks whether they do.
    return refuse('turn', ahead.length > free ? rules.leaseMs : turnMs, ahead.length)

  const slot = report.nextSlot()
  own.slots.push(slot)
  if (surface !== unpaced) own.arrivals[surface] = [...(own.arrivals[surface] ?? []), now + arrivalMs]
  own.places = without(own.places, surface)
  if (ask.hasNext) own.places[surface] = { since: now }
  if (closure !== undefined) closure.probe = { process, slot }
  return slot
}

/** Calls the processes that may take a slot now. */
function callNext(
  state: LimiterState,
  process: string,
  rules: Rules,
  now: number,
): Pick<Update, 'called' | 'next'> {
  const waiting = grantable(state, rules, now)
  const free = freeSlots(state, rules)
  const first = new Set(waiting.slice(0, free).map(({ place }) => place))
  const called = new Set<string>()
  for (const { process: id, place } of waitingAt(state)) {
    if (first.has(place) && place.calledAt === undefined && id !== process) called.add(id)
    place.calledAt = first.has(place) ? (place.calledAt ?? now) : undefined
  }
  return {
    called: [...called],
    next: waiting.slice(free).find((other) => other.process !== process)?.process,
  }
}

/** The places that could get a slot if enough were free, in their order. */
function grantable(state: LimiterState, { perMinute }: Rules, now: number): Waiting[] {
  if (state.quietUntil > now) return []
  const room = new Map<string, number>()
  return waitingAt(state).filter(({ surface }) => {
    const left = room.get(surface) ?? roomAt(state, surface, perMinute, now)
    room.set(surface, left - 1)
    return left > 0
  })
}

/** How many requests a surface takes now. */
function roomAt(state: LimiterState, surface: string, perMinute: number, now: number): number {
  const closure = state.closures[surface]
  if (closure !== undefined && (closure.openAt > now || closure.probe !== null)) return 0
  const room = surface === unpaced ? Infinity : perMinute - arrivalsAt(state, surface).length
  return closure === undefined ? room : Math.min(room, 1)
}

function freeSlots({ processes }: LimiterState, { inFlight }: Rules): number {
  const taken = Object.values(processes).reduce((sum, { slots }) => sum + slots.length, 0)
  return Math.max(0, inFlight - taken)
}

/** The processes that wait at a surface, or at all, in their order. */
function waitingAt({ processes }: LimiterState, only?: string): Waiting[] {
  const waiting = Object.entries(processes).flatMap(([process, { places }]) =>
    Object.entries(places).map(([surface, place]) => ({ process, surface, place })),
  )
  const here = waiting.filter(({ surface }) => (only ?? surface) === surface)
  return here.sort((a, b) => (goesBefore(a, b) ? -1 : 1))
}

function goesBefore(a: Waiting, b: Waiting): boolean {
  return a.place.since === b.place.since ? a.process < b.process : a.place.since < b.place.since
}

export function isInFlight(
  state: LimiterState,
  { process, slot }: { process: string; slot: number },
): boolean {
  return state.processes[process]?.slots.includes(slot) === true
}

function arrivalsAt({ processes }: LimiterState, surface: string): number[] {
  const arrivals = Object.values(processes).flatMap(({ arrivals }) => arrivals[surface] ?? [])
  return arrivals.sort((a, b) => a - b)
}

/** Milliseconds until a slot expires, if no process gives one back. */
function msUntilFree({ processes }: LimiterState, now: number): number {
  const holders = Object.values(processes).filter(({ slots }) => slots.length > 0)
  return Math.max(0, Math.min(...holders.map(({ until }) => until)) - now)
}

/** Milliseconds until a surface takes a request, behind those of some processes. */
function msUntilRoom(
  state: LimiterState,
  { surface, limit, arrivalMs }: Ask,
  ahead: number,
  { spanMs }: Rules,
  now: number,
): number {
  const arrivals = arrivalsAt(state, surface)
  const blocker = arrivals[Math.min(arrivals.length - limit + (ahead % limit), arrivals.length - 1)] ?? now
  // A response may still show that a request in flight arrived earlier.
  const arrivedAt = blocker > now ? Math.max(now, blocker - arrivalMs) : blocker
  return arrivedAt + spanMs - now + Math.floor(ahead / limit) * spanMs
}

function without<T>(record: Record<string, T>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([each]) => each !== name))
}
