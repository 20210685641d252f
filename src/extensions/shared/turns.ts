import { type LimiterState, type Place, type Rules, unpaced, without } from './state.ts'

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

/** Why a call waits. */
export interface Refusal {
  /**
   * `quiet`: the state was lost, and others restore it. `closed`: a 429 closed the surface. `pace`: the surface has had its
   * requests. `slot`: all slots are taken. `turn`: another process goes first.
   */
  readonly reason: 'quiet' | 'closed' | 'pace' | 'slot' | 'turn'
  /** Milliseconds until it may end. */
  readonly ms: number
  /** How many processes go first. */
  readonly ahead: number
}

/** A slot. */
export interface Grant {
  readonly reason: 'granted'
  /** Why the next call waits; undefined if it may ask. */
  readonly next?: Refusal | undefined
}

/** Which processes may go on. */
export interface Called {
  /** Processes that may take a slot from now on. */
  readonly called: readonly string[]
  /** The process after those, which looks whether they live. */
  readonly next: string | undefined
  /** How long they may take, in milliseconds. */
  readonly turnMs: number
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
  for (const waiting of grantable(state, rules, now).slice(0, freeSlots(state, rules))) {
    const { calledAt } = waiting.place
    const entry = state.processes[waiting.process]
    if (!entry || waiting.process === process || calledAt === undefined || now - calledAt < waiting.turnMs)
      continue
    entry.places = without(entry.places, waiting.surface)
  }
}

/** Takes a slot, or tells why not. */
export function grant(
  state: LimiterState,
  ask: Ask,
  process: string,
  rules: Rules,
  now: number,
): Grant | Refusal {
  const { surface, limit, arrivalMs } = ask
  const own = state.processes[process]
  const place = own?.places[surface]
  const openAt = state.closures[surface] ?? now
  const refuse = (reason: Refusal['reason'], ms: number, ahead = 0): Refusal => ({ reason, ms, ahead })
  if (!own || !place) throw new Error('a process asks without a place')
  if (state.quietUntil > now) return refuse('quiet', state.quietUntil - now)
  if (openAt > now) return refuse('closed', openAt - now)

  const mine: Waiting = { process, surface, place, turnMs: own.turnMs }
  const isAhead = (other: Waiting): boolean => other.process !== process && goesBefore(other, mine)
  const room = limit - arrivalsAt(state, surface).length
  if (room <= 0) {
    const ahead = waitingAt(state, surface).filter(isAhead).length
    return refuse('pace', msUntilRoom(state, ask, ahead, rules, now), ahead)
  }
  const ahead = grantable(state, rules, now).filter(isAhead)
  const free = freeSlots(state, rules)
  if (free === 0) return refuse('slot', msUntilFree(state, now), ahead.length)
  const aheadHere = ahead.filter((other) => other.surface === surface).length
  if (ahead.length >= free || aheadHere >= room || overtakes(mine, ahead))
    // The first one behind those that may take a slot looks whether they do.
    return refuse('turn', ahead.length > free ? rules.leaseMs : longestTurn(ahead), ahead.length)

  own.slots++
  if (surface !== unpaced) own.arrivals[surface] = [...(own.arrivals[surface] ?? []), now + arrivalMs]
  own.places = without(own.places, surface)
  // While it answered the call, others may have come in line again: they are behind it.
  if (ask.hasNext) own.places[surface] = { since: place.calledAt ?? now }
  return { reason: 'granted' }
}

/** Calls the processes that may take a slot now. */
export function callNext(state: LimiterState, process: string, rules: Rules, now: number): Called {
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
    turnMs: longestTurn(waiting.slice(0, free)),
    next: waiting.slice(free).find((other) => other.process !== process)?.process,
  }
}

function longestTurn(waiting: readonly Waiting[]): number {
  return Math.max(turnMs.least, ...waiting.map(({ turnMs }) => turnMs))
}

/** The places that could get a slot if enough were free, in their order. */
function grantable(state: LimiterState, { perMinute }: Rules, now: number): Waiting[] {
  if (state.quietUntil > now) return []
  const room = new Map<string, number>()
  const places: Waiting[] = []
  for (const waiting of waitingAt(state)) {
    const left = room.get(waiting.surface) ?? roomAt(state, waiting.surface, perMinute, now)
    room.set(waiting.surface, left - 1)
    if (left > 0 && !overtakes(waiting, places)) places.push(waiting)
  }
  return places
}

/** Whether a process came in line after another one was called, which near processes could do until nothing is left for a far one. */
function overtakes({ process, surface, place }: Waiting, ahead: readonly Waiting[]): boolean {
  const here = ahead.filter((other) => other.surface === surface && other.process !== process)
  return surface !== unpaced && here.some(({ place: { calledAt = Infinity } }) => calledAt <= place.since)
}

/** How many requests a surface takes now. */
function roomAt(state: LimiterState, surface: string, perMinute: number, now: number): number {
  if ((state.closures[surface] ?? now) > now) return 0
  return surface === unpaced ? Infinity : perMinute - arrivalsAt(state, surface).length
}

export function freeSlots({ processes }: LimiterState, { inFlight }: Rules): number {
  const taken = Object.values(processes).reduce((sum, { slots }) => sum + slots, 0)
  return Math.max(0, inFlight - taken)
}

/** The processes that wait at a surface, or at all, in their order. */
export function waitingAt({ processes }: LimiterState, only?: string): Waiting[] {
  const waiting = Object.entries(processes).flatMap(([process, { places, turnMs }]) =>
    Object.entries(places).map(([surface, place]) => ({ process, surface, place, turnMs })),
  )
  const here = waiting.filter(({ surface }) => (only ?? surface) === surface)
  return here.sort((a, b) => (goesBefore(a, b) ? -1 : 1))
}

function goesBefore(a: Waiting, b: Waiting): boolean {
  return a.place.since === b.place.since ? a.process < b.process : a.place.since < b.place.since
}

function arrivalsAt({ processes }: LimiterState, surface: string): number[] {
  const arrivals = Object.values(processes).flatMap(({ arrivals }) => arrivals[surface] ?? [])
  return arrivals.sort((a, b) => a - b)
}

/** Milliseconds until a slot expires, if no process gives one back. */
export function msUntilFree({ processes }: LimiterState, now: number): number {
  const holders = Object.values(processes).filter(({ slots }) => slots > 0)
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
