// Who gets the free slots. Processes wait in one line for all surfaces, and who has waited longest goes first. A free slot is offered to the
// first of the line whose surface has room. A wake-up tells that process, and it takes the slot with its next update. If it does
// not within its `offerMs`, it loses its place, and the slot is for the next one.
//
// A process that takes a slot may send several requests with it. To the others in line at a surface, it leaves as many requests as it has
// sent more than they: so all get equal shares, however far from the store they are.

import {
  type LimiterState,
  type PlaceInLine,
  type ProcessEntry,
  type Rules,
  type WakeUp,
  unlimitedSurface,
} from './limiter-state.ts'
import { without } from './versioned-state.ts'

/** What a process reports in one update: all of its entry in the state, and what it asks for. */
export interface Report {
  readonly process: string
  /** Those of its requests in flight, and those that it keeps for its next ones. */
  readonly slots: number
  /** When its requests arrived at the latest, at each surface. */
  readonly arrivals: Iterable<readonly [surface: string, times: number[]]>
  /** When surfaces open that a 429 has closed. */
  readonly closures: readonly (readonly [surface: string, openAt: number])[]
  /** How many of its calls wait at each surface. */
  readonly waiting: ReadonlyMap<string, number>
  /** How long a request that is granted now takes to arrive at the latest, in milliseconds. */
  readonly arrivesWithinMs: number
  /** How long it needs to take a slot that is offered to it, in milliseconds. */
  readonly offerMs: number
  /** How many requests it sends with one slot, in the time that it would take to pass the slot on. */
  readonly requestsPerSlot: number
}

/** Why a call waits. */
export interface WaitReason {
  /**
   * `restoring`: the state was lost, and others restore it. `closed`: a 429 closed the surface. `pace`: the surface has had its
   * requests. `slot`: all slots are taken. `behind`: another process goes first.
   */
  readonly reason: 'restoring' | 'closed' | 'pace' | 'slot' | 'behind'
  /** Milliseconds until it may end. */
  readonly ms: number
}

/** What the calls of a process get at a surface: requests, slots for them, and why the next one waits; undefined if none does. */
export interface Grant {
  readonly requests: number
  readonly slots: number
  readonly waitReason: WaitReason | undefined
}

/** How long a slot is offered to a process, in milliseconds: as long as the process needs, within bounds. */
export const offerBounds = { least: 200, most: 3000 }

interface Waiting {
  readonly process: string
  readonly entry: ProcessEntry
  readonly surface: string
  readonly place: PlaceInLine
}

/** Grants and offers the free slots of a state in which a process has just put its entry. */
export class SlotOffers {
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
  dropMissed(): void {
    for (const { process, entry, surface, place } of this.#next()) {
      const hasMissed = this.#now - (place.offeredAt ?? this.#now) >= entry.offerMs
      if (hasMissed && process !== this.#report.process) entry.places = without(entry.places, surface)
    }
  }

  /** Takes slots while it is the turn of the process, and leaves its places where calls still wait. */
  take(): Map<string, Grant> {
    const { process, waiting, requestsPerSlot } = this.#report
    const grants = new Map(Array.from(waiting.keys(), (surface) => [surface, { requests: 0, slots: 0 }]))
    for (;;) {
      const mine = this.#next().find((each) => each.process === process)
      const grant = mine && grants.get(mine.surface)
      if (mine === undefined || grant === undefined) break
      const { entry, surface, place } = mine
      const calls = (waiting.get(surface) ?? 0) - grant.requests
      const line = this.#line()
      // The other free slots get as many of its calls.
      const most = Math.min(requestsPerSlot, Math.ceil(calls / this.#freeSlots()))
      let requests = 0
      while (requests < most && this.#roomAt(surface) > this.#leftToOthers(mine, line)) {
        requests++
        this.#count(mine)
      }
      grant.requests += requests
      grant.slots++
      entry.slots++
      entry.places = without(entry.places, surface)
      // While it took up the offer, others may have come in line again: they are behind it.
      if (requests < calls) entry.places[surface] = { since: place.offeredAt ?? this.#now }
    }
    return new Map(
      Array.from(grants, ([surface, grant]) => [
        surface,
        { ...grant, waitReason: this.#waitReason(surface) },
      ]),
    )
  }

  #count({ entry, surface }: Waiting): void {
    if (surface === unlimitedSurface) return
    const arrival = this.#now + this.#report.arrivesWithinMs
    entry.arrivals[surface] = [...(entry.arrivals[surface] ?? []), arrival]
  }

  /** Offers the free slots to the processes that are next, and wakes them; later the one after them, in case they miss it. */
  offerNext(): WakeUp[] {
    const next = this.#next()
    const places = new Set(next.map(({ place }) => place))
    const isOther = ({ process }: Waiting): boolean => process !== this.#report.process
    const wakeUps = next
      .filter((each) => each.place.offeredAt === undefined && isOther(each))
      .map(({ process }): WakeUp => [process, 0])
    for (const { place } of this.#line())
      place.offeredAt = places.has(place) ? (place.offeredAt ?? this.#now) : undefined
    const after = this.#line().find(
      (each) => isOther(each) && !places.has(each.place) && this.#roomAt(each.surface) > 0,
    )
    return after === undefined || wakeUps.length === 0
      ? wakeUps
      : [...wakeUps, [after.process, this.#msOfOffers(next)]]
  }

  /** How many requests a process leaves to the others in line at its surface, together. */
  #leftToOthers(mine: Waiting, line: readonly Waiting[]): number {
    const others = line.filter(({ surface }) => surface === mine.surface)
    return others.reduce((sum, other) => sum + Math.max(0, this.#sentMore(mine, other)), 0)
  }

  /** How many requests one process has sent more than another one. */
  #sentMore(mine: Waiting, other: Waiting): number {
    // So a process waits for others for a window at most.
    const count = ({ entry, surface }: Waiting): number =>
      Math.min(this.#rules.perMinute, (entry.arrivals[surface]?.length ?? 0) + (entry.surplus[surface] ?? 0))
    return count(mine) - count(other)
  }

  /** Why the process waits at a surface. */
  #waitReason(surface: string): WaitReason | undefined {
    const { grantsFrom, closures } = this.#state
    const line = this.#line().filter((each) => each.surface === surface)
    const index = line.findIndex(({ process }) => process === this.#report.process)
    const mine = line[index]
    if (mine === undefined) return undefined
    const openAt = closures[surface] ?? this.#now
    if (grantsFrom > this.#now) return { reason: 'restoring', ms: grantsFrom - this.#now }
    if (openAt > this.#now) return { reason: 'closed', ms: openAt - this.#now }
    if (this.#roomAt(surface) <= 0) {
      const before = line.slice(0, index).filter((other) => this.#sentMore(mine, other) === 0).length
      return { reason: 'pace', ms: this.#msUntilRoom(surface, before + this.#leftToOthers(mine, line)) }
    }
    if (this.#freeSlots() === 0) return { reason: 'slot', ms: this.#msUntilFree() }
    return { reason: 'behind', ms: this.#msOfOffers(this.#next()) }
  }

  /** The places that the free slots are for. */
  #next(): Waiting[] {
    if (this.#state.grantsFrom > this.#now) return []
    const room = new Map<string, number>()
    const line = this.#line()
    const grantable = line.filter((waiting) => {
      const left = room.get(waiting.surface) ?? this.#roomAt(waiting.surface)
      const isGrantable = left > this.#leftToOthers(waiting, line)
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
    const counts = Object.values(this.#state.processes).map(({ arrivals }) => arrivals[surface]?.length ?? 0)
    return this.#rules.perMinute - counts.reduce((sum, count) => sum + count, 0)
  }

  #freeSlots(): number {
    const taken = Object.values(this.#state.processes).reduce((sum, { slots }) => sum + slots, 0)
    return Math.max(0, this.#rules.inFlight - taken)
  }

  #arrivalsAt(surface: string): number[] {
    const arrivals = Object.values(this.#state.processes).flatMap(({ arrivals }) => arrivals[surface] ?? [])
    return arrivals.sort((a, b) => a - b)
  }

  /** Milliseconds until the lease of a process with a slot ends, if no process gives one back. */
  #msUntilFree(): number {
    const holders = Object.values(this.#state.processes).filter(({ slots }) => slots > 0)
    return Math.min(...holders.map(({ until }) => until)) - this.#now
  }

  /** Milliseconds until a surface takes a request, behind `ahead` others. */
  #msUntilRoom(surface: string, ahead: number): number {
    const { perMinute, windowMs } = this.#rules
    const arrivals = this.#arrivalsAt(surface)
    const blocker = arrivals[arrivals.length - perMinute + (ahead % perMinute)] ?? this.#now
    // A response may still show that a request in flight has arrived already.
    const arrivedAt = Math.min(blocker, this.#now)
    return arrivedAt + windowMs - this.#now + Math.floor(ahead / perMinute) * windowMs
  }

  /** Milliseconds until the last of these offers ends. */
  #msOfOffers(offered: readonly Waiting[]): number {
    const ends = offered.map(({ entry, place }) => (place.offeredAt ?? this.#now) + entry.offerMs)
    return Math.max(offerBounds.least, ...ends.map((end) => end - this.#now))
  }
}
