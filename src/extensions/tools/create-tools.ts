import { type SocialSearch, CreditBudget } from '../../index.ts'
import { clientTransport, isTransport } from '../../extend.ts'
import { shortNames } from '../../api/main-fields.ts'
import type { Operation } from '../../api/operation.ts'
import { type OperationId, operationOf, operations } from '../../api/operations.ts'
import { toolInputOf } from '../../api/schema/tool-input.ts'
import {
  assertFunction,
  assertMethod,
  assertOptions,
  requireOption,
  wholeNumber,
} from '../../errors/check-options.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { assertDocumented } from '../export/fields.ts'
import { ToolSession } from './session.ts'
import type { SessionTool } from './tool-call.ts'
import { describe, titleOf, toolSchema } from './tool-schema.ts'
import { archiveOperation, archiveText } from './archive.ts'
import type { AgentTool, Archive, ToolJson, ToolParameters, ToolSchema, ToolsOptions } from './types.ts'

/** The name of an operation's tool: its id with underscores. */
export type ToolName<Id extends string> = Id extends `${infer Group}.${infer Rest}`
  ? `${Group}_${ToolName<Rest>}`
  : Id

/** Operations that are tools by default: few, since each takes room in a model's context. */
const defaultTools = [
  'microblog.search',
  'professionalnet.posts.search',
  'professionalnet.company.get',
  'technews.search',
  'organization.usage',
] as const satisfies readonly OperationId[]

/** One of the operations that are tools by default. */
export type DefaultToolId = (typeof defaultTools)[number]

/** Tools by their names; `archive_search` only with the option `archive`. */
export type Tools<Id extends OperationId = OperationId> = {
  readonly [Each in Id as ToolName<Each>]: AgentTool
} & { readonly archive_search?: AgentTool }

/** The options that tools and MCP servers share. */
export const commonOptions = {
  ...{ client: true, budget: true, allow: true, confirmAbove: true },
  ...{ maxItems: true, maxText: true, maxResult: true, reuseFor: true, fields: true, simulated: true },
  archive: true,
}

/**
 * Creates tools for a language model, one for each operation. Together, they spend at most `budget`.
 *
 * @throws {ConfigurationError} for options that cannot work.
 * @example
 * const tools = createTools({ client, budget: 50 })
 * await tools.microblog_search.execute({ query: 'typescript' })
 */
export function createTools<Id extends OperationId = DefaultToolId>(options: ToolsOptions<Id>): Tools<Id> {
  assertOptions(options, { ...commonOptions, confirm: true })
  const { client, allow, confirm, confirmAbove = Infinity, fields = {}, archive } = options
  requireOption(
    client,
    isTransport((client as Partial<SocialSearch> | null)?.transport),
    'client must be a SocialSearch',
  )
  const transport = clientTransport(client.transport)
  const chosen = operationsOf(allow).map((operation) => transport.configured(operation))
  assertOptions(fields as object, Object.fromEntries(operations.map(({ id }) => [id, true])), 'fields')
  for (const [id, paths] of Object.entries(fields)) {
    const isList = Array.isArray(paths) && paths.every((path) => typeof path === 'string')
    requireOption(paths, isList, `fields.${id} must be a list of field paths`)
    assertDocumented(operationOf(id) as Operation, paths ?? [])
  }
  const maxText = wholeNumber('maxText', options.maxText ?? 1000, 20_000)
  requireOption(maxText, maxText >= 20, 'maxText must be a whole number from 20')
  const maxResult = wholeNumber('maxResult', options.maxResult ?? 20_000, 1_000_000)
  requireOption(maxResult, maxResult >= 4000, 'maxResult must be a whole number from 4,000')
  const { reuseFor = 0 } = options
  const isTime = typeof reuseFor === 'number' && reuseFor >= 0
  requireOption(reuseFor, isTime, 'reuseFor must be a number of milliseconds, at least 0')
  if (archive !== undefined) assertMethod('archive', archive, 'find')
  if (confirm !== undefined) assertFunction('confirm', confirm)
  const { budget: given } = options
  const budget =
    typeof given === 'number' ? new CreditBudget(given) : assertMethod('budget', given, 'reserve')
  const prices = chosen.flatMap(({ price }) => (price.kind === 'free' ? [] : [price.credits]))
  const isAmount = typeof confirmAbove === 'number' && confirmAbove >= 0
  requireOption(confirmAbove, isAmount, 'confirmAbove must be a number of at least 0')
  const session = new ToolSession({
    client,
    budget,
    confirm,
    transport: transport.withOptions({ budget }),
    confirmAbove,
    maxItems: wholeNumber('maxItems', options.maxItems ?? 20, 100),
    room: { maxText, maxResult },
    reuseMs: reuseFor,
    simulated: options.simulated === true,
    cheapest: Math.min(...prices),
  })
  const tools = chosen.map((operation) => {
    const id = operation.id as OperationId
    // The default fields have short names, since each item repeats them.
    const shown = fields[id] ? Object.fromEntries(fields[id].map((path) => [path, path])) : shortNames[id]
    const tool = { operation, input: toolInputOf(operation), fields: shown }
    return agentTool(id, tool, describe(operation, confirmAbove), session)
  })
  if (archive !== undefined) tools.unshift(archiveTool(archive, session))
  return Object.fromEntries(tools.map((tool) => [tool.name, tool])) as Tools<Id>
}

function archiveTool(archive: Archive, session: ToolSession): AgentTool {
  const operation = archiveOperation
  const tool = { operation, input: operation.request, fields: undefined, archive }
  return agentTool(null, tool, `${describe(operation, Infinity)} ${archiveText}`, session)
}

function agentTool(
  id: OperationId | null,
  called: Omit<SessionTool, 'name'>,
  description: string,
  session: ToolSession,
): AgentTool {
  const { operation, input } = called
  const name = operation.id.replaceAll('.', '_')
  const inputSchema = toolSchema(operation, input)
  return {
    ...{ name, title: titleOf(operation), operation: id, price: operation.price, description, inputSchema },
    json: definitionsOf(name, description, inputSchema),
    execute: (given, options) => session.run({ ...called, name }, given, options),
  }
}

function definitionsOf(name: string, description: string, schema: ToolSchema): ToolJson {
  // A copy has no `~standard`.
  const plain = structuredClone({ ...schema }) as unknown as ToolParameters
  const parameters = { ...plain, additionalProperties: schema.additionalProperties !== false }
  const fn = { name, description, parameters, strict: false } as const
  return {
    anthropic: { name, description, input_schema: parameters },
    openai: { type: 'function', ...fn },
    openaiChat: { type: 'function', function: fn },
    openaiAgents: { ...fn, parameters: { ...parameters, additionalProperties: true } },
  }
}

function operationsOf(ids: readonly string[] = defaultTools): Operation[] {
  if (!Array.isArray(ids) || ids.length === 0)
    throw new ConfigurationError('`allow` must be a list of one or more operation ids')
  return ids.map((id: string) => {
    const operation = operationOf(id)
    if (operation !== undefined) return operation
    const all = operations.map(({ id }) => id).join(', ')
    throw new ConfigurationError(`unknown operation ${id} in allow; expected one of ${all}`)
  })
}
