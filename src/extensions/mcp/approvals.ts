import { count } from '../../lib/count.ts'
import { canonicalJson } from '../../lib/json.ts'
import { randomId } from '../../lib/hash.ts'
import { remember } from '../../lib/remember.ts'
import { cutText } from '../tools/compact.ts'
import type { ConfirmRequest } from '../tools/index.ts'
import { type InputRequiredResult, type ServerContext, inputRequired } from './server.ts'

/** Most open questions; the oldest are dropped. */
const maxOpen = 100

/** The questions that people have been asked. Each holds for exactly one call with these arguments and this price. */
export class Approvals {
  readonly #asked = new Map<string, string>()

  /** Asks the person behind the client. */
  ask(request: ConfirmRequest, input: unknown): InputRequiredResult {
    const state = randomId(20)
    remember(this.#asked, state, callOf(request, input), maxOpen)
    const price = `${request.isBounded ? 'at most' : 'perhaps more than'} ${count(request.atMost, 'credit')}`
    // The price stands before what a model has written.
    const message = `${request.tool} may cost ${price}: ${request.why}. Allow it? Arguments: ${cutText(JSON.stringify(input), 1000)}`
    return inputRequired({
      requestState: state,
      inputRequests: {
        approval: inputRequired.elicit({
          message,
          requestedSchema: {
            type: 'object',
            properties: { approve: { type: 'boolean', title: `Spend ${price}` } },
            required: ['approve'],
          },
        }),
      },
    })
  }

  /** What a person has said about one call at one price, if the request carries the answer. It counts once. */
  take({ mcpReq }: ServerContext) {
    const state = mcpReq.requestState()
    const call = typeof state === 'string' ? this.#asked.get(state) : undefined
    if (call === undefined) return undefined
    this.#asked.delete(state as string)
    return { call, answer: answerOf(mcpReq.inputResponses?.['approval']) }
  }
}

/** Some clients have a button for approval, and send no form with it. */
function answerOf(response: unknown): 'approved' | 'declined' | 'none' {
  const { action, content } = (response ?? {}) as { action?: unknown; content?: { approve?: unknown } | null }
  if (action === 'decline') return 'declined'
  if (action !== 'accept') return 'none'
  const { approve = true } = content ?? {}
  return approve === true ? 'approved' : 'declined'
}

/** A call as an approval names it. */
export function callOf({ tool, atMost }: ConfirmRequest, input: unknown): string {
  return canonicalJson([tool, input, atMost]) ?? ''
}
