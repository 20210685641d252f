import { codeOf, isSocialSearchError } from '../../errors/index.ts'
import type { ObservedCall } from '../options/types.ts'
import type { Call, Wrap } from './call.ts'
import type { CallObserver } from './call-observer.ts'
import { errorContext } from './record.ts'

/** Tells the observers how each call has ended. */
export const observed: Wrap = (send) => (call) =>
  call.observer === undefined ? send(call) : observe(call.observer, call, () => send(call))

async function observe<Answer extends Answered>(
  observer: CallObserver,
  call: Call,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const start = performance.now()
  const { record } = call
  const duration = (): number => performance.now() - start
  try {
    const answer = await work()
    const { attempts, credits, cached } = answer
    const { charged = 'no', requestId = answer.requestId } = attempts.at(-1) ?? {}
    observer.end({
      ...{
        outcome: 'ok',
        charged,
        applied: undefined,
        attempts,
        duration: duration(),
        requestId,
        credits,
        cached,
      },
    })
    return answer
  } catch (error) {
    // The reason of an abort says nothing of the call.
    const { charged = 'no', applied, attempts = [] } = isSocialSearchError(error) ? error : errorContext(call)
    const requestId = attempts.at(-1)?.requestId
    const { credits } = record
    observer.end({
      ...{ outcome: codeOf(error), charged, applied, attempts, duration: duration(), requestId, credits },
      cached: undefined,
    })
    throw error
  }
}

type Answered = Pick<ObservedCall, 'attempts' | 'credits' | 'requestId'> &
  Partial<Pick<ObservedCall, 'cached'>>
