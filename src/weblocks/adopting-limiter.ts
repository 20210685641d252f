import type { Lease, Share } from '../limits/limiter.ts'
import { LocalLimiter } from '../limits/local-limiter.ts'
import type { Send } from '../limits/pace.ts'

/** The limiter of a leader, which also counts requests that an earlier leader has granted. */
export class AdoptingLimiter extends LocalLimiter {
  /** Counts a request as if acquired here. */
  adopt(surface: string | null, share: Share, send: Send): Lease {
    // It takes the next free slot, or frees it at once if it has ended before.
    const taking = this.take()
    const release = (): void => void taking.then((slot) => slot?.release(null))
    return this.queue(surface).lease(send, share, { release })
  }
}
