import type { BeforeRequestHook } from 'ky'

/**
 * Hooks of [ky](https://github.com/sindresorhus/ky#hooks), which run for each attempt, retries included. The `request`
 * that they see has no credential: the client adds it after the last hook. `options.context` of ky has the `operation`,
 * such as `microblog.search`, and the number of the `attempt`, from 1. Pass a `fetch` to see or replace responses.
 */
export interface Hooks {
  /** Runs before the request is sent. It may change its headers, and nothing else. */
  beforeRequest?: ((state: Parameters<BeforeRequestHook>[0]) => void | Promise<void>)[] | undefined
}

export const hookNames: Record<keyof Hooks, true> = { beforeRequest: true }

/** The hooks of a client, then those of a call. */
export function mergeHooks(base: Hooks | undefined, added: Hooks): Hooks {
  return { beforeRequest: [...(base?.beforeRequest ?? []), ...(added.beforeRequest ?? [])] }
}
