import type { Lease } from '../limits/limiter.ts'
import { abortable } from '../lib/abort.ts'
import { closedSurface } from './read-failure.ts'
import { QueueFullError } from '../../errors.ts'
import type { Call } from './call.ts'
import { SurfaceClosed } from '../limits/surface-queue.ts'
import type { Log } from '../lib/logger.ts'
import { now, sleep } from '../lib/time.ts'

/** How long a call queues before the log says so, in milliseconds. */
const longQueueMs = 30_000

/** Waits for a slot, and until the call may be sent. */
export async function takeSlot(call: Call): Promise<Lease> {
  const { operation, settings, signal, surface } = call
  call.phase = 'queue'
  const fields = { operation: operation.id, surface, seconds: longQueueMs / 1000 }
  const { queue, share } = settings
  const isNew = call.attempts.length === 0
  // Those who will have a slot at once do not wait.
  const free = Math.max(0, share.inFlight - queue.open)
  if (isNew && queue.length >= queue.max + free)
    throw new QueueFullError(queue.max, { operation: operation.id })
  const warning = setTimeout(() => settings.log('warn', 'still queued', fields), longQueueMs)
  queue.length++
  try {
    for (;;) {
      const lease = await acquire(call)
      // A limiter of the caller's may know nothing of the 429 that this call was answered.
      const early = call.notBefore - now()
      if (early <= 0) return counted(lease, queue)
      giveBack(lease, settings.log)
      await sleep(early, signal)
    }
  } catch (error) {
    throw error instanceof SurfaceClosed ? closedSurface(operation, error.remaining) : error
  } finally {
    clearTimeout(warning)
    queue.length--
  }
}

/** The lease, which counts as open until it is given back. */
function counted(lease: Lease, queue: Call['settings']['queue']): Lease {
  queue.open++
  let isOpen = true
  return {
    queued: lease.queued,
    paced: lease.paced,
    sent: () => lease.sent(),
    answered: (date) => lease.answered(date),
    release: () => {
      if (isOpen) queue.open--
      isOpen = false
      lease.release()
    },
  }
}

/** Tells the limiter that the answer begins to come. */
export function markAnswered(lease: Lease, { headers }: Response, log: Log): void {
  const date = headers.get('date')
  tell(() => lease.answered(date === null ? null : new Date(date)), log)
}

/** Tells the limiter that the request goes out. */
export function markSent(lease: Lease, log: Log): void {
  tell(() => lease.sent(), log)
}

/** Gives a slot back. */
export function giveBack(lease: Lease, log: Log): void {
  tell(() => lease.release(), log)
}

/** The limiter may be the caller's; its failure must not cost an answer that is paid for. */
export function tell(limiter: () => void, log: Log): void {
  try {
    limiter()
  } catch (error) {
    log('error', 'the limiter failed', { reason: String(error) })
  }
}

async function acquire(call: Call): Promise<Lease> {
  const { settings, signal, surface } = call
  const granted = settings.limiter.acquire({
    surface,
    share: settings.share,
    priority: settings.priority,
    resumed: call.attempts.length > 0,
    patience: Math.min(Math.max(settings.retry.maxWaitMs, call.notBefore - now()), call.sendBy - now()),
    signal,
  })
  try {
    return await abortable(signal, () => granted)
  } catch (error) {
    // A slot that comes too late is given back.
    granted.then((lease) => giveBack(lease, settings.log)).catch(() => {})
    throw error
  }
}
