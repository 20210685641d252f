import type { Hooks } from '../core/http/hooks.ts'
import { isInstance } from '../lib/thrown.ts'

type Hook = (state: { request: Request; response?: Response }) => unknown

const ids = new WeakMap<object, number>()
let latestId = 0

/** Names hooks: the same functions in the same order have the same name. */
export function hooksName(hooks: Hooks = {}): string {
  const { beforeRequest = [], afterResponse = [], beforeError = [] } = hooks
  return [beforeRequest, afterResponse, beforeError].map((list) => list.map(idOf).join()).join(';')
}

function idOf(hook: object): number {
  const id = ids.get(hook) ?? ++latestId
  ids.set(hook, id)
  return id
}

/**
 * The same hooks, with a report when one asks the service something else, or replaces its response. A hook that only
 * changes headers asks the same.
 *
 * @param body The body of the request.
 */
export function reportingHooks(hooks: Hooks, body: string, report: () => void): Hooks {
  const reporting =
    (hook: Hook): Hook =>
    async (state) => {
      const { url } = state.request
      const result = await hook(state)
      const isSame =
        result === undefined ||
        result === null ||
        result === state.response ||
        result === state.request ||
        (isInstance(result, Request) && result.url === url && (await textOf(result)) === body)
      if (!isSame) report()
      return result
    }
  const { beforeRequest, afterResponse } = hooks as Record<string, Hook[] | undefined>
  return {
    ...hooks,
    beforeRequest: beforeRequest?.map(reporting),
    afterResponse: afterResponse?.map(reporting),
  } as Hooks
}

/** The body of a request; null if it was read already. */
async function textOf(request: Request): Promise<string | null> {
  return request.bodyUsed ? null : request.clone().text()
}
