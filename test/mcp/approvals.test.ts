import { expect, it } from 'vitest'
import { Approvals, callOf } from '../../src/extensions/mcp/approvals.ts'
import type { ServerContext } from '../../src/extensions/mcp/protocol.ts'
import type { ConfirmRequest } from '../../src/extensions/tools/index.ts'

const input = { query: 'coffee', pages: 3 }
const request: ConfirmRequest = {
  ...{ tool: 'microblog_search', input: { query: 'coffee' }, pages: 3, atMost: 6, isBounded: true, why: '' },
}

/** A request that carries an answer. */
function answered(state: unknown, action = 'accept', approve: unknown = true): ServerContext {
  const inputResponses = { approval: { action, content: { approve } } }
  return { mcpReq: { requestState: () => state, inputResponses } } as unknown as ServerContext
}

it('take() returns an answer once, for one call at one price', () => {
  const approvals = new Approvals()
  const { requestState } = approvals.ask(request, input)
  const approval = approvals.take(answered(requestState))
  expect(approval).toEqual({ call: callOf(request, input), isGiven: true })
  expect(approvals.take(answered(requestState))).toBeUndefined()
  const others = [
    callOf(request, { ...input, query: 'tea' }),
    callOf({ ...request, atMost: 8 }, input),
    callOf({ ...request, tool: 'technews_search' }, input),
  ]
  expect(others).not.toContain(approval?.call)
})

it.each([
  ['decline', true],
  ['cancel', true],
  ['accept', false],
  ['accept', 'yes'],
])('take() sees no approval in %s with %j', (action, approve) => {
  const approvals = new Approvals()
  const { requestState } = approvals.ask(request, input)
  expect(approvals.take(answered(requestState, action, approve))?.isGiven).toBe(false)
})

it('take() ignores a state that was not asked about', () => {
  const approvals = new Approvals()
  for (const state of ['forged', undefined, 7]) expect(approvals.take(answered(state))).toBeUndefined()
})
