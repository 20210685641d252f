import { count } from '../../lib/count.ts'
import { randomId } from '../../lib/hash.ts'
import { canonicalJson } from '../../lib/json.ts'
import { remember } from '../../lib/remember.ts'
import { cutText } from '../tools/compact.ts'
import { StillWaiting, ToolRefusal } from '../tools/failures.ts'
import type { AgentTool, ConfirmRequest, ToolProgress } from '../tools/index.ts'
import {
  type InputRequiredResult,
  type McpServer,
  type ServerContext,
  canAskPerson,
  contentOf,
  inputRequired,
  listed,
} from './server.ts'

/** Milliseconds after which a call ends that could report no progress: many clients wait for 60 seconds. */
const patienceMs = 50_000

const noAnswer = 'nobody has answered the question whether to spend the credits; nothing was sent'

export function registerTools(server: McpServer, tools: readonly AgentTool[], approvals: Approvals): void {
  for (const tool of tools) {
    const { name, title, description, json, operation, price } = tool
    const isFree = price.kind === 'free'
    const changes = operation === 'mentions.setState'
    // A search that costs credits is not read-only.
    const isRead = isFree && !changes
    const effect = { readOnlyHint: isRead, ...(!isRead && { destructiveHint: changes }) }
    server.registerTool(
      name,
      {
        title,
        description,
        annotations: { ...effect, openWorldHint: !isFree },
        inputSchema: listed(json.openai.parameters),
        // Short, since each tool of the list repeats it.
        outputSchema: listed({ type: 'object', required: ['ok', 'credits'] }),
        _meta: { 'social-search-sdk/price': { ...price, rate: undefined } },
      },
      async (input, context) => {
        const approval = approvals.take(context)
        let open: ConfirmRequest | undefined
        const confirm = (request: ConfirmRequest): boolean => {
          if (approval?.call === callOf(request, input)) {
            if (approval.answer === 'none') throw new ToolRefusal('confirmation', noAnswer)
            return approval.answer === 'approved'
          }
          open = request
          throw new ToolRefusal('confirmation', 'a person has been asked')
        }
        const onProgress = progressOf(context)
        const patience = new AbortController()
        // A client that hears of no progress gives up after a minute, and would not get what was paid for.
        const timer = onProgress
          ? undefined
          : setTimeout(() => patience.abort(new StillWaiting()), patienceMs)
        const result = await tool.execute(input, {
          signal: AbortSignal.any([signalOf(context), patience.signal]),
          confirm: canAskPerson(server, context) ? confirm : undefined,
          onProgress,
        })
        clearTimeout(timer)
        return open === undefined ? contentOf(result) : approvals.ask(open, input)
      },
    )
  }
}

/** Aborts when the client cancels, or its connection ends. */
function signalOf({ mcpReq, http }: ServerContext): AbortSignal {
  const ended = http?.req?.signal
  return ended === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, ended])
}

function progressOf({ mcpReq }: ServerContext): ((progress: ToolProgress) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined) return undefined
  let latest = 0
  return ({ done, pages, waiting }) => {
    // It has to increase each time, also while the call waits.
    latest = Math.max(done, latest + 0.01)
    const message = waiting === undefined ? `${done} of ${pages} pages` : `waits: ${waiting}`
    const params = { progressToken, progress: latest, total: pages, message }
    // A client that has gone hears nothing.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {})
  }
}

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
function callOf({ tool, atMost }: ConfirmRequest, input: unknown): string {
  return canonicalJson([tool, input, atMost]) ?? ''
}
