import { longestHoldMs } from '../limits/interface.ts'

/** What a process tells the others at once. Fields are short, since every process gets every notice. */
export interface Notice {
  /** The process that sends it. */
  readonly from: string
  /** Processes that may take a slot now. */
  readonly called?: readonly string[]
  /** The process that takes one if those do not. */
  readonly next?: string | undefined
  /** Surfaces that a 429 has closed, and for how many milliseconds. */
  readonly closed?: readonly (readonly [surface: string, ms: number])[]
  /** `ask`: a new process needs the time, and the state if it was lost. `told`: one has told it. `begun`: an epoch begins. */
  readonly state?: 'ask' | 'told' | 'begun' | undefined
}

const states = { ask: '?', told: '!', begun: '*' } as const

export function encodeNotice({ from, called = [], next, closed = [], state }: Notice): string {
  const fields = [from, state && states[state], called, next, closed].map((field) => field ?? 0)
  return JSON.stringify(fields)
}

/** Reads a notice; undefined for anything else, since other programs may send on the same channel. */
export function decodeNotice(text: string): Notice | undefined {
  try {
    const fields = JSON.parse(text) as unknown
    if (!Array.isArray(fields)) return undefined
    const [from, sign, called, next, closed] = fields as unknown[]
    if (typeof from !== 'string' || !Array.isArray(called) || !Array.isArray(closed)) return undefined
    const isClosed = (each: unknown): each is [string, number] =>
      Array.isArray(each) && typeof each[0] === 'string' && Number(each[1]) >= 0 && each[1] <= longestHoldMs
    if (!closed.every(isClosed)) return undefined
    return {
      ...{ from, called: called.map(String), closed },
      next: typeof next === 'string' ? next : undefined,
      state: (['ask', 'told', 'begun'] as const).find((state) => states[state] === sign),
    }
  } catch {
    return undefined
  }
}
