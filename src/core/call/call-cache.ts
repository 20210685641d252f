import type { CallSettings } from '../options/settings.ts'
import type { Answer, Call } from './call.ts'

/** A cache as the calls of one client use it. */
export interface CallCache {
  /**
   * Answers a call from the cache, or with a request that equal calls share.
   *
   * @param open Opens a call for the same request with other settings.
   */
  answer(call: Call, open: (settings: CallSettings) => Call): Promise<Answer>
}
