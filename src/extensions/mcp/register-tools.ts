import { StillWaiting, ToolRefusal } from '../tools/failures.ts'
import type { AgentTool, ConfirmRequest, ToolProgress } from '../tools/index.ts'
import { type Approvals, callOf } from './approvals.ts'
import { contentOf } from './results.ts'
import { type McpServer, type ServerContext, canAskPerson, listed } from './server.ts'

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
