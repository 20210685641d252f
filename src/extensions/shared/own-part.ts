import { type Ask, type Refusal, turnMs } from './turns.ts'
import type { Report } from './update.ts'

/** What a surface of this process tells of itself. Times are monotonic. */
export interface SurfacePart {
  readonly key: string
  /** Since when calls wait that have asked; undefined if none waits. */
  readonly waitingSince: number | undefined
  /** Why they wait, and since when; undefined if they have not asked since the latest change. */
  readonly refusal: (Refusal & { readonly at: number }) | undefined
  /** Its requests, and when they arrived at the latest. */
  arrivals(): [request: object, at: number][]
  /** A slot may be free, or the store has become available or unavailable. */
  retry(): void
  /** Another process had a 429. */
  closedFor(ms: number): void
}

/** The part of this process in the shared state. */
export class OwnPart {
  /** Requests in flight. */
  slots = 0
  readonly surfaces = new Map<string, SurfacePart>()
  /** When surfaces open that a 429 has closed, until the others know. */
  #closures = new Map<string, number>()
  /** Of those, the ones in the latest report. */
  #reported = new Map<string, number>()
  /** What was told of a request, so that it is told again as it was. */
  readonly #told = new WeakMap<object, { at: number; time: number; epoch: string }>()

  /** Whether calls wait. */
  get isWaiting(): boolean {
    return Array.from(this.surfaces.values()).some(({ waitingSince }) => waitingSince !== undefined)
  }

  /** Whether a state without this part would lack something. */
  get counts(): boolean {
    const surfaces = [...this.surfaces.values()]
    return this.#closures.size > 0 || this.slots > 0 || surfaces.some((each) => each.arrivals().length > 0)
  }

  close(surface: string, openAt: number): void {
    this.#closures.set(surface, Math.max(openAt, this.#closures.get(surface) ?? 0))
  }

  /** The surfaces that the latest report closes, each with the milliseconds until it opens. */
  closedSurfaces(): [surface: string, ms: number][] {
    const now = performance.now()
    return Array.from(this.#reported, ([surface, at]) => [surface, Math.max(0, Math.ceil(at - now))])
  }

  /** @param ahead How far the time of the epoch is ahead of the monotonic time. */
  report(process: string, ahead: number, epoch: string, asks: readonly Ask[], slowestMs: number): Report {
    const asking = new Set(asks.map(({ surface }) => surface))
    const surfaces = [...this.surfaces.values()]
    const waiting = surfaces.filter(({ key, waitingSince }) => asking.has(key) || waitingSince !== undefined)
    this.#reported = new Map(this.#closures)
    const arrivalsAt = (surface: SurfacePart): number[] =>
      surface.arrivals().map(([request, at]) => this.#tell(request, at, ahead, epoch))
    // It may be updating when it is called, and then needs a notice, and an update that may lose to others.
    const needed = Math.ceil(slowestMs / 50) * 150 + 50
    return {
      ...{ process, slots: this.slots },
      // The process hears of its grant, and sends, as much later.
      asks: asks.map((ask) => ({ ...ask, arrivalMs: ask.arrivalMs + Math.ceil(slowestMs) })),
      turnMs: Math.min(turnMs.most, Math.max(turnMs.least, needed)),
      arrivals: surfaces.map((surface) => [surface.key, arrivalsAt(surface)]),
      closures: Array.from(this.#reported, ([surface, at]) => [surface, Math.ceil(at + ahead)]),
      places: waiting.map(({ key, waitingSince }) => [key, Math.round((waitingSince ?? 0) + ahead)]),
    }
  }

  /** The time of an arrival. It is told as before, since each reading of the clock is late by another time. */
  #tell(request: object, at: number, ahead: number, epoch: string): number {
    const told = this.#told.get(request)
    if (told?.at === at && told.epoch === epoch) return told.time
    const time = Math.ceil(at + ahead)
    this.#told.set(request, { at, time, epoch })
    return time
  }

  /** The others know the latest report. */
  confirm(): void {
    for (const [surface, at] of this.#reported)
      if (this.#closures.get(surface) === at) this.#closures.delete(surface)
  }
}
