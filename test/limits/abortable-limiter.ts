import { organizationLimits } from '../../src/api/limits.ts'
import type { Limits, Permit, QueueRequest } from '../../src/limits/interface.ts'
import { LocalLimiter } from '../../src/limits/local-limiter.ts'
import { queueRequest } from '../support/limiter.ts'

/** The limiter of a process, for limits and requests that lack what a test does not care for. */
export class AbortableLimiter extends LocalLimiter {
  constructor(limits: Partial<Limits> = {}, all?: Limits) {
    super({ ...organizationLimits, ...limits }, all)
  }

  override acquire(request: Partial<QueueRequest>): Promise<Permit> {
    return super.acquire(queueRequest(request))
  }
}
