import type { AfterResponseHook, BeforeErrorHook, BeforeRequestHook } from 'ky'

/**
 * Hooks of [ky](https://github.com/sindresorhus/ky#hooks), which run for each attempt, retries included. The `request`
 * that they see has no credential: the client adds it after the last hook. `options.context` of ky has the `operation`,
 * such as `microblog.search`, and the number of the `attempt`, from 1.
 *
 * A hook cannot send a request again, wait between attempts, or turn a failure into a response: pass a `fetch` for that.
 */
export interface Hooks {
  /**
   * Runs before the request is sent. It may change its headers, return another request to the same origin, or return a
   * response: then nothing is sent.
   */
  beforeRequest?: BeforeRequestHook[] | undefined
  /** Runs after the response has been read. It may return another response. */
  afterResponse?: AfterResponseHook[] | undefined
  /** Runs if no response arrived. If it returns another error, the call rejects with that one, without a retry. */
  beforeError?: BeforeErrorHook[] | undefined
}

export const hookNames: Record<keyof Hooks, true> = {
  beforeRequest: true,
  afterResponse: true,
  beforeError: true,
}

/** The hooks of a client, then those of a call. */
export function mergeHooks(base: Hooks | undefined, added: Hooks): Hooks {
  return {
    beforeRequest: [...(base?.beforeRequest ?? []), ...(added.beforeRequest ?? [])],
    afterResponse: [...(base?.afterResponse ?? []), ...(added.afterResponse ?? [])],
    beforeError: [...(base?.beforeError ?? []), ...(added.beforeError ?? [])],
  }
}
