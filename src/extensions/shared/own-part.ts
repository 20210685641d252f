import type { Ask, Refusal } from './turns.ts'
import type { Report } from './update.ts'

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

/** The part of this process in the shared state. */
export class OwnPart {
  /** Requests in flight. */
  slots = 0
  readonly surfaces = new Map<string, SurfacePart>()
  /** When surfaces open that a 429 has closed, until the others know. */
  #closures = new Map<string, number>()
  /** Of those, the ones in the latest report. */
  #reported = new Map<string, number>()

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

  /** @param ahead How far the time of the state is ahead of the monotonic time. */
  report(process: string, ahead: number, asks: readonly Ask[]): Report {
    const asking = new Set(asks.map(({ surface }) => surface))
    const surfaces = [...this.surfaces.values()]
    const waiting = surfaces.filter(
      ({ key, refusal, waitingSince }) =>
        asking.has(key) || (refusal !== undefined && waitingSince !== undefined),
    )
    this.#reported = new Map(this.#closures)
    const arrivalsAt = (surface: SurfacePart): number[] =>
      surface.arrivals().map((at) => Math.ceil(at + ahead))
    return {
      ...{ process, slots: this.slots, asks },
      arrivals: surfaces.map((surface) => [surface.key, arrivalsAt(surface)]),
      closures: Array.from(this.#reported, ([surface, at]) => [surface, Math.ceil(at + ahead)]),
      places: waiting.map(({ key, waitingSince }) => [key, Math.round((waitingSince ?? 0) + ahead)]),
    }
  }

  /** The others know the latest report. */
  confirm(): void {
    for (const [surface, at] of this.#reported)
      if (this.#closures.get(surface) === at) this.#closures.delete(surface)
  }
}
