import {
  type LimiterState,
  type Place,
  type ProcessEntry,
  type Rules,
  unpaced,
  without,
} from './limiter-state.ts'

/** What a process tells in one update: all of its part of the state, so that an update that was lost needs no repetition. */
export interface Report {
  readonly process: string
  /** Its requests in flight. */
  readonly slots: number
  /** When its requests arrived at the latest, at each surface. */
  readonly arrivals: Iterable<readonly [surface: string, times: number[]]>
  /** When surfaces open that a 429 has closed. */
  readonly closures: readonly (readonly [surface: string, openAt: number])[]
  /** How many of its calls wait at each surface. */
  readonly asks: ReadonlyMap<string, number>
  /** How long a request takes to arrive at the latest, in milliseconds. */
  readonly arrivalMs: number
  /** How long it needs to take a slot when it is called, in milliseconds. */
  readonly turnMs: number
  /** How many requests it sends with one slot, in the time in which the slot would be handed on. */
  readonly perSlot: number
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

/** What a surface gets that has asked: requests, slots for them, and why the next call waits; undefined if none does. */
export interface AskOutcome {
  readonly granted: number
  readonly slots: number
  readonly waitReason: WaitReason | undefined
}

/** How long a slot waits for a process that may take it, in milliseconds: as long as the process needs, within bounds. */
export const turnMs = { least: 200, most: 3000 }

interface Waiting {
  readonly process: string
  readonly entry: ProcessEntry
  readonly surface: string
  readonly place: Place
}

/** Who takes the free slots of a state when a process has told its part. */
export class Turns {
  readonly #state: LimiterState
  readonly #report: Report
  readonly #rules: Rules
  readonly #now: number

  constructor(state: LimiterState, report: Report, rules: Rules, now: number) {
    this.#state = state
    this.#report = report
    this.#rules = rules
    this.#now = now
  }

  /** Drops the places of other processes that did not take a slot in time: they have ended, or will ask again. */
  dropSilent(): void {
    for (const { process, entry, surface, place } of this.#called()) {
      const isSilent = this.#now - (place.calledAt ?? this.#now) >= entry.turnMs
      if (isSilent && process !== this.#report.process) entry.places = without(entry.places, surface)
    }
  }

  /** Takes slots while it is the turn of the process, and leaves its places where calls still wait. */
  take(): Map<string, AskOutcome> {
    const { process, asks, perSlot } = this.#report
    const outcomes = new Map(Array.from(asks.keys(), (surface) => [surface, { granted: 0, slots: 0 }]))
    for (;;) {
      const mine = this.#called().find((waiting) => waiting.process === process)
      const outcome = mine && outcomes.get(mine.surface)
      if (mine === undefined || outcome === undefined) break
      const { entry, surface, place } = mine
      const calls = (asks.get(surface) ?? 0) - outcome.granted
      const line = this.#line()
      // The other free slots get as many of its calls.
      const most = Math.min(perSlot, Math.ceil(calls / this.#freeSlots()))
      let granted = 0
      while (granted < most && this.#roomAt(surface) > this.#lead(mine, line)) {
        granted++
        this.#count(mine)
      }
      outcome.granted += granted
      outcome.slots++
      entry.slots++
      entry.places = without(entry.places, surface)
      // While it answered the call, others may have come in line again: they are behind it.
      if (granted < calls) entry.places[surface] = { since: place.calledAt ?? this.#now }
    }
    return new Map(
      Array.from(outcomes, ([surface, outcome]) => [
        surface,
        { ...outcome, waitReason: this.#waitReason(surface) },
      ]),
    )
  }

  #count({ entry, surface }: Waiting): void {
    if (surface === unpaced) return
    entry.arrivals[surface] = [...(entry.arrivals[surface] ?? []), this.#now + this.#report.arrivalMs]
  }

  /** Calls the processes that may take a slot now; the one after them looks whether they do. */
  callNext(): Look[] {
    const first = this.#called()
    const places = new Set(first.map(({ place }) => place))
    const isOther = ({ process }: Waiting): boolean => process !== this.#report.process
    const looks = first
      .filter((each) => each.place.calledAt === undefined && isOther(each))
      .map(({ process }): Look => [process, 0])
    for (const { place } of this.#line())
      place.calledAt = places.has(place) ? (place.calledAt ?? this.#now) : undefined
    const next = this.#line().find(
      (each) => isOther(each) && !places.has(each.place) && this.#roomAt(each.surface) > 0,
    )
    return next === undefined || looks.length === 0 ? looks : [...looks, [next.process, longestTurn(first)]]
  }

  /**
   * How many requests a process is ahead of the others in line at its surface, together. It leaves them as many, so that all
   * get the same, however far they are from the store.
   */
  #lead(mine: Waiting, line: readonly Waiting[]): number {
    const others = line.filter(({ surface }) => surface === mine.surface)
    return others.reduce((sum, other) => sum + Math.max(0, this.#excess(mine, other)), 0)
  }

  #excess(mine: Waiting, other: Waiting): number {
    // So a process waits for others for a span at most.
    const count = ({ entry, surface }: Waiting): number =>
      Math.min(this.#rules.perMinute, (entry.arrivals[surface]?.length ?? 0) + (entry.past[surface] ?? 0))
    return count(mine) - count(other)
  }

  /** Why the process waits at a surface. */
  #waitReason(surface: string): WaitReason | undefined {
    const { quietUntil, closures } = this.#state
    const line = this.#line().filter((each) => each.surface === surface)
    const index = line.findIndex(({ process }) => process === this.#report.process)
    const mine = line[index]
    if (mine === undefined) return undefined
    const openAt = closures[surface] ?? this.#now
    if (quietUntil > this.#now) return { reason: 'quiet', ms: quietUntil - this.#now }
    if (openAt > this.#now) return { reason: 'closed', ms: openAt - this.#now }
    if (this.#roomAt(surface) <= 0) {
      const before = line.slice(0, index).filter((other) => this.#excess(mine, other) === 0).length
      return { reason: 'pace', ms: this.#msUntilRoom(surface, before + this.#lead(mine, line)) }
    }
    if (this.#freeSlots() === 0) return { reason: 'slot', ms: this.#msUntilFree() }
    return { reason: 'turn', ms: longestTurn(this.#called()) }
  }

  /** The places that may take a slot now. */
  #called(): Waiting[] {
    if (this.#state.quietUntil > this.#now) return []
    const room = new Map<string, number>()
    const line = this.#line()
    const grantable = line.filter((waiting) => {
      const left = room.get(waiting.surface) ?? this.#roomAt(waiting.surface)
      const isGrantable = left > this.#lead(waiting, line)
      if (isGrantable) room.set(waiting.surface, left - 1)
      return isGrantable
    })
    return grantable.slice(0, this.#freeSlots())
  }

  /** The processes that wait, in their order. */
  #line(): Waiting[] {
    const waiting = Object.entries(this.#state.processes).flatMap(([process, entry]) =>
      Object.entries(entry.places).map(([surface, place]) => ({ process, entry, surface, place })),
    )
    return waiting.sort((a, b) => a.place.since - b.place.since)
  }

  /** How many requests a surface takes now. */
  #roomAt(surface: string): number {
    if ((this.#state.closures[surface] ?? this.#now) > this.#now) return 0
    return this.#rules.perMinute - this.#arrivalsAt(surface).length
  }

  #freeSlots(): number {
    const taken = Object.values(this.#state.processes).reduce((sum, { slots }) => sum + slots, 0)
    return Math.max(0, this.#rules.inFlight - taken)
  }

  #arrivalsAt(surface: string): number[] {
    const arrivals = Object.values(this.#state.processes).flatMap(({ arrivals }) => arrivals[surface] ?? [])
    return arrivals.sort((a, b) => a - b)
  }

  /** Milliseconds until a slot expires, if no process gives one back. */
  #msUntilFree(): number {
    const holders = Object.values(this.#state.processes).filter(({ slots }) => slots > 0)
    return Math.min(...holders.map(({ until }) => until)) - this.#now
  }

  /** Milliseconds until a surface takes a request, behind `ahead` others. */
  #msUntilRoom(surface: string, ahead: number): number {
    const { perMinute, spanMs } = this.#rules
    const arrivals = this.#arrivalsAt(surface)
    const blocker = arrivals[arrivals.length - perMinute + (ahead % perMinute)] ?? this.#now
    // A response may still show that a request in flight has arrived already.
    const arrivedAt = Math.min(blocker, this.#now)
    return arrivedAt + spanMs - this.#now + Math.floor(ahead / perMinute) * spanMs
  }
}

function longestTurn(waiting: readonly Waiting[]): number {
  return Math.max(turnMs.least, ...waiting.map(({ entry }) => entry.turnMs))
}

/** A process that is to look at the state, and after how many milliseconds. */
export type Look = readonly [process: string, ms: number]

/** Each process that waits, or knows a state: an epoch begins, or a surface has closed. */
export const everyone = '*'

/** A short message to all other processes. */
export interface Notice {
  /** The process that sends it. */
  readonly from: string
  readonly looks: readonly Look[]
}

/** Reads a notice; undefined for anything else, since other programs may send on the same channel. */
export function decodeNotice(text: string): Notice | undefined {
  try {
    const { from, looks } = JSON.parse(text) as Notice
    const isLook = ([process, ms]: Look): boolean => typeof process === 'string' && ms >= 0
    return typeof from === 'string' && looks.every(isLook) ? { from, looks } : undefined
  } catch {
    return undefined
  }
}
