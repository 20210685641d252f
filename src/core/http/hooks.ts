import type { BeforeRequestHook } from 'ky'

/**
 * [ky](https://github.com/sindresorhus/ky#hooks) hooks that run for each attempt. They do not see the key.
 * `options.context` has the `operation` and the `attempt`, from 1. To see or replace responses, pass a `fetch`.
 */
export interface Hooks {
  /** Runs before a request is sent. It may change the headers only. */
  beforeRequest?: ((state: Parameters<BeforeRequestHook>[0]) => void | Promise<void>)[] | undefined
}
