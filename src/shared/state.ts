// The state that the processes of one organization share, and its text. Times are in milliseconds, by the time of the state.

/** A process that waits at a surface. */
export interface Place {
  /** The process that has waited longest goes first. */
  since: number
  /** Since when it may take a slot; null while it may not. */
  calledAt: number | null
}

/** What a process uses of a surface. */
export interface SurfaceUse {
  /** When its requests arrived at the latest. */
  arrivals: number[]
  place: Place | null
}

/** What one process has told the others. */
export interface ProcessEntry {
  /** When its slots and places are free, unless it renews them. */
  until: number
  /** The version that it has made last. */
  version: number
  /** Numbers of its requests in flight. */
  slots: number[]
  surfaces: Map<string, SurfaceUse>
}

/** A surface that a 429 has closed. */
export interface Closure {
  openAt: number
  /** The one request that tests whether the limit has passed; null if the next one will. */
  probe: { process: string; slot: number } | null
}

/** All that the processes of one organization share. */
export interface LimiterState {
  /** Changes when the store has lost the state. */
  epoch: string
  /** Counts the changes. */
  version: number
  /** The time of the latest change. */
  time: number
  /** How far the time is ahead of the store's clock. */
  shift: number
  /** When the epoch began. */
  bornAt: number
  /** Until then, nothing is granted. */
  quietUntil: number
  processes: Map<string, ProcessEntry>
  closures: Map<string, Closure>
}

/** The surface of calls without a limit of their rate. */
export const unpaced = ''

/** The name of a surface in the state. */
export function surfaceKey(surface: string | null): string {
  return surface === null ? unpaced : `:${surface}`
}

/** The surface of a name in the state. */
export function surfaceOf(key: string): string | null {
  return key === unpaced ? null : key.slice(1)
}

/** Writes a state as a short text: times as milliseconds from its time. */
export function encode(state: LimiterState): string {
  const { epoch, version, time, shift, bornAt, quietUntil, processes, closures } = state
  const from = (at: number | null | undefined): number | null => (at == null ? null : at - time)
  const entries = Array.from(processes, ([id, entry]) => [
    id,
    from(entry.until),
    version - entry.version,
    entry.slots,
    Array.from(entry.surfaces, ([surface, { arrivals, place }]) => [
      ...[surface, from(place?.since), from(place?.calledAt)],
      ...arrivals.map(from),
    ]),
  ])
  const closed = Array.from(closures, ([surface, { openAt, probe }]) => [
    ...[surface, from(openAt)],
    ...(probe === null ? [] : [probe.process, probe.slot]),
  ])
  return JSON.stringify([epoch, version, time, shift, from(bornAt), from(quietUntil), entries, closed])
}

type Parts = [string, number, number, number, number, number, EntryParts[], ClosureParts[]]
type EntryParts = [string, number, number, number[], [string, number | null, number | null, ...number[]][]]
type ClosureParts = [string, number, string?, number?]

/** Reads a text; undefined if there is none, or if it is not one of {@link encode}. */
export function decode(text: string | undefined): LimiterState | undefined {
  if (text === undefined) return undefined
  try {
    const [epoch, version, time, shift, bornAt, quietUntil, entries, closed] = JSON.parse(text) as Parts
    const at = (offset: number): number => number(offset) + time
    const maybeAt = (offset: number | null): number | null => (offset === null ? null : at(offset))
    const surfaceUse = (since: number | null, calledAt: number | null, arrivals: number[]): SurfaceUse => ({
      arrivals: arrivals.map(at),
      place: since === null ? null : { since: at(since), calledAt: maybeAt(calledAt) },
    })
    return {
      ...{ epoch: word(epoch), version: number(version), time: number(time), shift: number(shift) },
      ...{ bornAt: at(bornAt), quietUntil: at(quietUntil) },
      processes: new Map(
        entries.map(([id, until, age, slots, surfaces]): [string, ProcessEntry] => [
          word(id),
          {
            ...{ until: at(until), version: version - number(age), slots: slots.map(number) },
            surfaces: new Map(
              surfaces.map(([key, since, calledAt, ...sends]) => [
                word(key),
                surfaceUse(since, calledAt, sends),
              ]),
            ),
          },
        ]),
      ),
      closures: new Map(
        closed.map(([key, openAt, process, slot]): [string, Closure] => [
          word(key),
          {
            openAt: at(openAt),
            probe: process === undefined ? null : { process: word(process), slot: number(slot) },
          },
        ]),
      ),
    }
  } catch {
    // Something else has written it.
    return undefined
  }
}

function number(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new TypeError()
  return value
}

function word(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError()
  return value
}
