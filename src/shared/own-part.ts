import type { Ask, Refusal, Report } from './update.ts'

/** What a surface of this process tells of itself. Times are monotonic. */
export interface SurfacePart {
  readonly key: string
  /** Since when calls wait that have asked; undefined if none waits. */
  readonly waitingSince: number | undefined
  /** Why they wait, and since when; undefined if they have not asked since the latest change. */
  readonly refusal: (Refusal & { readonly at: number }) | undefined
  /** When its requests arrived at the latest. */
  arrivals(): number[]
  /** A slot may be free, or the store has become available or unavailable. */
  retry(): void
  /** Another process had a 429. */
  closedFor(ms: number): void
}

/** A report, and what need not be told again when it has arrived. */
interface Told {
  readonly usedSlots: ReadonlySet<number>
  readonly closures: ReadonlyMap<string, number>
  readonly places: number
}

/** The part of this process in the shared state. */
export class OwnPart {
  /** Numbers of the requests in flight. */
  readonly slots = new Set<number>()
  readonly surfaces = new Map<string, SurfacePart>()
  /** Slots that have ended with a request, until the others know. */
  readonly #usedSlots = new Set<number>()
  /** When surfaces open that a 429 has closed, until the others know. */
  readonly #closures = new Map<string, number>()
  #slotCount = 0
  #told: Told | undefined
  /** Whether others may count this process as waiting. */
  hasPlaces = false

  /** Whether calls wait. */
  get isWaiting(): boolean {
    return Array.from(this.surfaces.values()).some(({ waitingSince }) => waitingSince !== undefined)
  }

  /** Whether the others do not know the outcome of a request. */
  get isBehind(): boolean {
    return this.#usedSlots.size > 0 || this.#closures.size > 0
  }

  /** Whether a state without this part would lack something. */
  get counts(): boolean {
    const surfaces = [...this.surfaces.values()]
    return this.isBehind || this.slots.size > 0 || surfaces.some((surface) => surface.arrivals().length > 0)
  }

  nextSlot(): number {
    return this.#slotCount++
  }

  release(slot: number, wasUsed: boolean): void {
    this.slots.delete(slot)
    if (wasUsed) this.#usedSlots.add(slot)
  }

  close(surface: string, openAt: number): void {
    this.#closures.set(surface, Math.max(openAt, this.#closures.get(surface) ?? 0))
  }

  /** The surfaces that the latest report closes, each with the milliseconds until it opens. */
  closedSurfaces(): [surface: string, ms: number][] {
    const now = performance.now()
    return Array.from(this.#told?.closures ?? [], ([surface, at]) => [
      surface,
      Math.max(0, Math.ceil(at - now)),
    ])
  }

  /** @param ahead How far the time of the state is ahead of the monotonic time. */
  report(process: string, ahead: number, asks: readonly Ask[], ended: readonly string[]): Report {
    const asking = new Set(asks.map(({ surface }) => surface))
    const surfaces = [...this.surfaces.values()]
    const waiting = surfaces.filter(
      ({ key, refusal, waitingSince }) =>
        asking.has(key) || (refusal !== undefined && waitingSince !== undefined),
    )
    const [usedSlots, closures] = [new Set(this.#usedSlots), new Map(this.#closures)]
    this.#told = { usedSlots, closures, places: waiting.length }
    return {
      ...{ process, slots: this.slots, usedSlots, asks, ended },
      arrivals: surfaces.map((surface) => [
        surface.key,
        surface.arrivals().map((at) => Math.ceil(at + ahead)),
      ]),
      closures: Array.from(closures, ([surface, at]) => [surface, Math.ceil(at + ahead)]),
      places: waiting.map(({ key, waitingSince }) => [key, Math.round((waitingSince ?? 0) + ahead)]),
      nextSlot: () => this.nextSlot(),
    }
  }

  /** The others know the latest report. */
  confirm(): void {
    if (this.#told === undefined) return
    const { usedSlots, closures, places } = this.#told
    for (const slot of usedSlots) this.#usedSlots.delete(slot)
    for (const [surface, at] of closures)
      if (this.#closures.get(surface) === at) this.#closures.delete(surface)
    this.hasPlaces = places > 0
  }
}
