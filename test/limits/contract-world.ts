import { expect } from 'vitest'
import type { CallLimiter as Limiter, Permit, Limits, QueueRequest } from '../../src/limits/interface.ts'
import type { Time } from '../support/real-time.ts'
import { queueRequest, refuse } from '../support/limiter.ts'

/** Where the limiters of a suite live. */
export interface LimiterWorld {
  readonly time: Time
  /** Limiters that share one organization, new for each test: those of several processes, if there can be such. */
  make(count: number, limits: Limits): Limiter[] | Promise<Limiter[]>
  /** Ends what the latest test has made. */
  end(): void | Promise<void>
  /** How long others take to hear of a 429, in milliseconds. Default 50. */
  readonly heardMs?: number
}

/** Short, since some limiters can only be tried in real time. */
export const windowMs = 600

export function organizations({ time, make, heardMs = 50 }: LimiterWorld) {
  const { pass, settle } = time

  /** Some limiters of one organization, and shorthands to ask them. */
  return async function organization(count: number, limits: Partial<Limits> = {}) {
    const limiters = await make(count, { inFlight: 2, perMinute: 4, windowMs, ...limits })
    const ask = (from = 0, request?: Partial<QueueRequest>): Promise<Permit> =>
      limiters[from % count]!.acquire(queueRequest(request))
    const close = async (from: number, surface: string, ms: number): Promise<void> => {
      await settle(refuse(limiters[from]!, surface, ms))
      await pass(heardMs)
    }
    return { limiters, ask, close }
  }
}

/** What comes of calls that may still be waiting at the end of the test. */
export function collect<T = Permit>(calls: readonly Promise<T>[]): T[] {
  const done: T[] = []
  for (const call of calls)
    call.then(
      (value) => done.push(value),
      () => {},
    )
  return done
}

/** Passes time until a list has some entries. */
export async function reach({ pass }: Time, list: readonly unknown[], length: number): Promise<void> {
  for (let ms = 0; list.length < length && ms < 5000; ms += 50) await pass(50)
  expect(list).toHaveLength(length)
}

/** Sends once granted, is answered at once, and keeps the slot for a while. */
export async function use(granted: Promise<Permit>, ms = 10, onSend = () => {}): Promise<Permit> {
  const permit = await granted
  onSend()
  permit.sent()
  permit.answered()
  await new Promise((resolve) => setTimeout(resolve, ms))
  permit.end()
  return permit
}
