import type { Share } from './limiter.ts'
import type { Pass, Turnstile } from './surface-queue.ts'
import type { Send, SendLog } from './send-log.ts'
import { now } from '../lib/time.ts'

/** A turnstile that also keeps each client to its share. */
export interface Kept extends Turnstile {
  /** Counts a request towards a client's share until it is released. */
  readonly count: (share: Share, pass: Pass, send?: Send) => Pass
}

/** Keeps the clients of one process to their shares, on all surfaces together. */
export class Shares {
  readonly #inFlight = new WeakMap<Share, number>()
  readonly #onChange: () => void

  /** @param onChange Called when a client has room again. */
  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  /**
   * A turnstile that also keeps each client to its share.
   *
   * @param perMinute The organization's limit, 0 where nothing is paced: who takes all of it, or more, needs no log of its own.
   */
  keep(turnstile: Turnstile, perMinute: number, makeLog: () => SendLog): Kept {
    const logs = new WeakMap<Share, SendLog>()
    const logOf = (share: Share): SendLog | undefined => {
      if (share.perMinute >= perMinute) return undefined
      const log = logs.get(share) ?? makeLog()
      logs.set(share, log)
      return log
    }
    const count: Kept['count'] = (share, pass, send = { at: now(), answered: Infinity }) => {
      logOf(share)?.add(send)
      const finish = [() => pass.release(), this.#occupy(share)]
      return {
        sent: () => {
          send.at = now()
          logOf(share)?.add(send)
          pass.sent()
        },
        answered: (date) => {
          send.answered = now()
          pass.answered(date)
        },
        release: () => finish.splice(0).forEach((end) => end()),
      }
    }
    return {
      count,
      closed: () => turnstile.closed(),
      wait: (share) => {
        if ((this.#inFlight.get(share) ?? 0) >= share.inFlight) return Infinity
        return Math.max(turnstile.wait(share), logOf(share)?.wait(share.perMinute) ?? 0)
      },
      reserve: async (share) => {
        const place = await turnstile.reserve(share)
        return (
          place && {
            giveBack: () => place.giveBack(),
            take: (share) => {
              const pass = place.take(share)
              return pass && count(share, pass)
            },
          }
        )
      },
    }
  }

  #occupy(share: Share): () => void {
    const count = (change: number): void => {
      this.#inFlight.set(share, (this.#inFlight.get(share) ?? 0) + change)
    }
    count(1)
    return () => {
      count(-1)
      this.#onChange()
    }
  }
}
