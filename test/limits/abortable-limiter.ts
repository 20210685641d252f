import type { CallTicket, Lease } from '../../src/limits/interface.ts'
import { LocalLimiter } from '../../src/limits/local-limiter.ts'
import { acquireUntilAborted } from '../../src/shared/limiter.ts'

/** The limiter of a process for tickets with a signal, which calls do not have. */
export class AbortableLimiter extends LocalLimiter {
  override acquire(ticket: CallTicket): Promise<Lease> {
    return ticket.signal ? acquireUntilAborted(this, ticket, ticket.signal) : super.acquire(ticket)
  }
}
