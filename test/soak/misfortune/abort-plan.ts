import type { Random } from '../../../src/extensions/sandbox/random.ts'
import type { CallRecord } from './records.ts'
import type { Moment } from './trip.ts'

/** When and why the caller aborts a call. */
export interface AbortPlan {
  readonly controller: AbortController
  readonly what: string
  /** To be called when the call has been made. */
  start(call: CallRecord): void
  onMoment(call: CallRecord, moment: Moment): void
  onWait(call: CallRecord): void
  abort(call: CallRecord): void
  onSettled(call: CallRecord): void
}

const moments: readonly Moment[] = ['sent', 'arrived', 'headers', 'body', 'end']

/** Draws whether and when a call is aborted. Reasons may be anything. */
export function drawAbortPlan(random: Random): AbortPlan | null {
  if (!random.chance(0.3)) return null
  const controller = new AbortController()
  const reason = random.pick<unknown>([undefined, new Error('left'), 'left', 0, null, { code: 'left' }])
  const when = random.pick(['before', 'soon', 'later', 'later', 'moment', 'moment', 'turn', 'wait', 'after'])
  const moment = random.pick(moments)
  const ms = when === 'later' ? random.integer(0, 90_000) : random.integer(0, 1500)
  const turns = random.integer(0, 40)
  let passed = random.integer(0, 2)
  const abort = (call: CallRecord): void => {
    if (controller.signal.aborted) return
    call.abortedAt = performance.now()
    controller.abort(reason)
  }
  const start = async (call: CallRecord): Promise<void> => {
    if (when === 'before') abort(call)
    if (when === 'soon' || when === 'later') setTimeout(() => abort(call), ms)
    if (when !== 'turn') return
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    abort(call)
  }
  return {
    controller,
    abort,
    what:
      when === 'moment' ? `${when} ${moment}` : when === 'soon' || when === 'later' ? `after ${ms} ms` : when,
    start: (call) => void start(call),
    onMoment: (call, at) => {
      if (when === 'moment' && at === moment && passed-- === 0) abort(call)
    },
    onWait: (call) => {
      if (when === 'wait') abort(call)
    },
    onSettled: (call) => {
      if (when === 'after') abort(call)
    },
  }
}
