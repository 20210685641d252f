import type { Lease, Limiter, Ticket } from '../../../src/index.ts'
import type { Random } from '../../../src/sandbox/random.ts'
import { CallersError } from './budgets.ts'
import { drawThrown } from './hooks.ts'

const kinds = ['grants', 'slow', 'throws', 'rejects', 'hangs', 'lease throws', 'hold throws'] as const

/** A caller's own limiter, which keeps no limits and may fail in every way. */
export function drawLimiter(random: Random): Limiter & { readonly kind: string } {
  const kind = random.pick(kinds)
  const fail = (): never => {
    throw new CallersError('the limiter threw')
  }
  const failsNow = (): boolean => random.chance(0.3)
  const crash = (): never => {
    throw drawThrown(random)
  }
  const step = kind === 'lease throws' ? crash : () => {}
  const lease: Lease = { queued: 0, paced: 0, sent: step, answered: step, release: step }
  return {
    kind,
    hold: kind === 'hold throws' ? crash : () => {},
    acquire: ({ signal }: Ticket) => {
      if (kind === 'throws' && failsNow()) fail()
      if (kind === 'rejects' && failsNow()) return Promise.reject(new CallersError('the limiter rejected'))
      // Against the interface, it does not heed the signal.
      if (kind === 'hangs' && failsNow()) return new Promise(() => {})
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
