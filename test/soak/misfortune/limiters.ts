import type { Lease, Limiter, Ticket } from '../../../src/index.ts'
import type { Random } from '../../../src/sandbox/random.ts'
import { crashes, failures } from './own-code.ts'

const kinds = ['grants', 'slow', ...Object.keys(failures), 'lease throws', 'hold throws']

/** A caller's own limiter, which keeps no limits and may fail in every way. Against the interface, it may hang. */
export function drawLimiter(random: Random): Limiter & { readonly kind: string } {
  const kind = random.pick(kinds)
  const step = (crashing: string) => () => (kind === crashing ? crashes['throws']?.(random) : undefined)
  const ofLease = step('lease throws')
  const lease: Lease = { queued: 0, paced: 0, sent: ofLease, answered: ofLease, release: ofLease }
  return {
    kind,
    hold: step('hold throws'),
    acquire: ({ signal }: Ticket) => {
      const fail = failures[kind]
      if (fail !== undefined && random.chance(0.3)) return fail('limiter')
      if (kind !== 'slow') return Promise.resolve(lease)
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => resolve(lease), random.integer(1, 5000))
        const abort = (): void => {
          clearTimeout(timer)
          reject(signal.reason)
        }
        signal.addEventListener('abort', abort, { once: true })
      })
    },
  }
}
