import { isRecord } from '../contract/is-record.ts'

type Guard<T> = (value: unknown) => value is T
type Guarded<G> = G extends Guard<infer T> ? T : never

const text = (value: unknown): value is string => typeof value === 'string'
const flag = (value: unknown): value is boolean => typeof value === 'boolean'
const number = (value: unknown): value is number => typeof value === 'number' && !Number.isNaN(value)
/** A duration or a count; Infinity where there is no end to it. */
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

const share = fields({ id: text, inFlight: amount, perMinute: amount })

const knowledge = fields({
  /** Ages are in milliseconds: clocks of two tabs have nothing in common but their speed. */
  grants: list(
    fields({
      ...{ call: text, tab: text, leader: text, surface: optional(text), share },
      ...{ age: amount, answered: optional(amount), open: flag },
    }),
  ),
  /** `left` is the time until the surface opens; `probe` the call that tries whether it has. */
  holds: list(fields({ surface: optional(text), left: amount, probe: optional(text) })),
})

const ask = fields({
  ...{ call: text, surface: optional(text), share },
  ...{ priority: number, resumed: flag, patience: amount },
})

/** What tabs say to each other. Everybody hears everything, so that everybody knows what a leader has to know. */
const messages = {
  /** A tab is new. */
  hello: fields({ tab: text }),
  /** A leader makes itself known, to one tab or to all; they answer with a census. */
  lead: fields({ leader: text, to: optional(text), known: knowledge }),
  /** Where a tab stands: the calls that hold a lease, and those that wait. */
  census: fields({ tab: text, to: text, leases: list(text), queue: list(ask), known: knowledge }),
  acquire: fields({ tab: text, to: text, ask }),
  cancel: fields({ call: text }),
  grant: fields({ leader: text, tab: text, call: text, surface: optional(text), share, paced: amount }),
  /** The surface is closed for longer than the call has patience. */
  refuse: fields({ leader: text, call: text, remaining: amount }),
  sent: fields({ call: text }),
  /** `date` is what the answer says, in milliseconds since 1970. */
  answered: fields({ call: text, date: optional(number) }),
  release: fields({ call: text }),
  hold: fields({ surface: optional(text), ms: amount }),
  /** A tab has ended, and with it its requests. */
  gone: fields({ tab: text }),
  /** A tab waits; timers of the leader's may be late. The leader answers. */
  nudge: fields({ tab: text, to: optional(text) }),
  here: fields({ leader: text }),
}

type Messages = { [K in keyof typeof messages]: { readonly kind: K } & Guarded<(typeof messages)[K]> }

export type Message = Messages[keyof Messages]
export type MessageOf<K extends keyof Messages> = Messages[K]
export type Ask = Guarded<typeof ask>
export type Known = Guarded<typeof knowledge>
export type KnownShare = Guarded<typeof share>

/** Whether something is a message; any script of the origin may post whatever it likes. */
export function isMessage(value: unknown): value is Message {
  if (!isRecord(value) || !text(value['kind']) || !Object.hasOwn(messages, value['kind'])) return false
  return messages[value['kind'] as keyof typeof messages](value)
}
