import { isRecord } from '../lib/is-record.ts'
import type { SurfaceClosed } from '../limits/interface.ts'

type Guard<T> = (value: unknown) => value is T
type Guarded<G> = G extends Guard<infer T> ? T : never

const text = (value: unknown): value is string => typeof value === 'string'
const flag = (value: unknown): value is boolean => typeof value === 'boolean'
const number = (value: unknown): value is number => typeof value === 'number' && !Number.isNaN(value)
/** A duration or a count; Infinity means no limit. */
const amount = (value: unknown): value is number => number(value) && value >= 0

function optional<T>(guard: Guard<T>): Guard<T | null> {
  return (value): value is T | null => value === null || guard(value)
}

function list<T>(guard: Guard<T>): Guard<readonly T[]> {
  return (value): value is readonly T[] => Array.isArray(value) && value.every(guard)
}

function fields<T extends object>(guards: { readonly [K in keyof T]: Guard<T[K]> }): Guard<Readonly<T>> {
  const all = Object.entries<Guard<unknown>>(guards)
  return (value): value is Readonly<T> => isRecord(value) && all.every(([name, guard]) => guard(value[name]))
}

const closedBy = (value: unknown): value is SurfaceClosed['reason'] =>
  value === 'rate_limited' || value === 'pace'

const share = fields({ id: text, inFlight: amount, perMinute: amount })

const stateSnapshot = fields({
  /** Ages in milliseconds: the clocks of two tabs only share their speed. */
  grants: list(
    fields({
      ...{ call: text, tabId: text, leader: text, surface: optional(text), share },
      ...{ age: amount, answered: optional(amount), open: flag },
    }),
  ),
  /** `remaining` is the time until the surface opens; `probe` is the call that tests whether it has. */
  holds: list(fields({ surface: optional(text), remaining: amount, probe: optional(text) })),
})

const leaseRequest = fields({
  ...{ call: text, surface: optional(text), share },
  ...{ priority: number, resumed: flag, patience: number, maxQueueWait: number },
})

/** Messages between tabs. Every tab receives every message, so every tab has the state that a leader needs. */
export const messages = {
  /** A tab has joined. */
  newTab: fields({ tabId: text }),
  /** A leader announces itself, to one tab or to all; they answer with `tabState`. */
  leader: fields({ leader: text, to: optional(text), snapshot: stateSnapshot }),
  /** A tab's calls: those that hold a lease, and those that wait for one. */
  tabState: fields({
    tabId: text,
    to: text,
    leases: list(text),
    queue: list(leaseRequest),
    snapshot: stateSnapshot,
  }),
  acquire: fields({ tabId: text, to: text, request: leaseRequest }),
  cancel: fields({ call: text }),
  grant: fields({ leader: text, tabId: text, call: text, surface: optional(text), share, paced: amount }),
  /** The call would wait for too long. */
  reject: fields({ leader: text, call: text, remaining: amount, reason: closedBy }),
  sent: fields({ call: text }),
  /** `date` is the response's `Date`, in milliseconds since 1970. */
  answered: fields({ call: text, date: optional(number) }),
  release: fields({ call: text }),
  hold: fields({ surface: optional(text), ms: amount }),
  /** A tab has closed, and its requests with it. */
  tabClosed: fields({ tabId: text }),
  /** Sent by a waiting tab, since the leader's timers may be late. The leader answers with `pong`. */
  ping: fields({ tabId: text, to: optional(text) }),
  pong: fields({ leader: text }),
}

type Messages = { [K in keyof typeof messages]: { readonly kind: K } & Guarded<(typeof messages)[K]> }

export type Message = Messages[keyof Messages]
export type MessageOf<K extends keyof Messages> = Messages[K]
export type LeaseRequest = Guarded<typeof leaseRequest>
export type StateSnapshot = Guarded<typeof stateSnapshot>
export type ShareWithId = Guarded<typeof share>

/** Whether a value is a message: any script of the origin may post on the channel. */
export function isMessage(value: unknown): value is Message {
  if (!isRecord(value) || !text(value['kind']) || !Object.hasOwn(messages, value['kind'])) return false
  return messages[value['kind'] as keyof typeof messages](value)
}
