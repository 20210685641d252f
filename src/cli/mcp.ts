import { type OperationId, operationOf } from '../api/operations.ts'
import { CommandError, UsageError } from './command-errors.ts'
import { complain } from './error-text.ts'
import { describeCollection } from './database/describe.ts'
import { findRecords } from './database/find.ts'
import { type SharedFlags, numberOf } from './flags.ts'
import { openMachine } from './machine.ts'
import { budgetOf, clientFor } from './client.ts'
import type { Operation } from '../api/operation.ts'
import { itemsOf } from '../api/list-items.ts'
import { InvalidResponseError } from '../errors/index.ts'
import { type Call, type CallCredits, type Wrap, type Wrapping, wrap } from '../extend.ts'
import type { Observer } from '../index.ts'
import { patiently } from '../lib/sqlite-file.ts'
import { RecordDatabase } from './database/record-database.ts'

const serverPackage = '@modelcontextprotocol/server'

export interface McpFlags extends SharedFlags {
  readonly confirmAbove?: string
  readonly allow?: string[]
  readonly archive?: string
}

/**
 * Serves MCP over the input and output, until the client closes the input and the page under way has come. Then it says on
 * stderr what it has cost. A signal ends it at once: what was sent counts as uncertain.
 */
export async function mcp(flags: McpFlags): Promise<void> {
  const { sandbox, confirmAbove, allow, out, archive = out } = flags
  // A file that has nothing is refused before the client connects.
  if (archive !== out && archive !== undefined) await describeCollection(archive)
  const machine = await openMachine(flags, 'mcp')
  // Credits of the sandbox cost nothing.
  const budget = budgetOf(flags) ?? machine.budgets[0] ?? (sandbox === true ? 100 : undefined)
  if (budget === undefined)
    throw new UsageError(
      'mcp needs --budget: credits for the session, such as 100, or for all commands, such as 200/day',
    )
  const observers = out === undefined ? [] : [await keepAnswers(out, complain)]
  const client = clientFor(flags, { ...machine.options, observers }, machine.budgets)
  const { createMcp } = await loadMcp()
  const server = createMcp({
    client,
    budget,
    ...(confirmAbove !== undefined && { confirmAbove: numberOf('--confirm-above', confirmAbove) }),
    ...(allow !== undefined && { allow: allow as OperationId[] }),
    ...(archive !== undefined && {
      archive: { find: (query, options) => findRecords(archive, query, options) },
    }),
    simulated: sandbox === true,
  })
  const end = async (): Promise<void> => {
    await client.close()
    const { spent, uncertain } = client.credits
    process.stderr.write(`${JSON.stringify({ spent, uncertain })}\n`)
    await machine.close()
  }
  process.once('beforeExit', () => void end())
  for (const [signal, code] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const])
    process.once(signal, () => void end().finally(() => process.exit(code)))
  await server.stdio()
}

/** Loads the server when it is used: it is larger than the rest of the command, and needs an optional package. */
async function loadMcp() {
  try {
    return await import('../extensions/mcp/index.ts')
  } catch (error) {
    if (!String(error).includes(serverPackage)) throw error
    throw new CommandError(
      'failed',
      `mcp needs the package ${serverPackage}; install it: npm install ${serverPackage}`,
    )
  }
}

/**
 * Keeps in a file all records that a client pays for, for `mcp`, where an agent chooses the calls.
 *
 * @param onError Hears of an answer that could not be kept; its caller has it all the same.
 * @throws {UsageError} for a file that cannot keep them.
 */
export async function keepAnswers(
  path: string,
  onError: (error: unknown) => void,
): Promise<Observer & Wrapping> {
  // A file without records could not be searched.
  const search = operationOf('microblog.search') as Operation
  ;(await RecordDatabase.open(path, { operation: search, jobs: [] })).close()
  const keep = async (call: Call, body: unknown, credits: CallCredits): Promise<void> => {
    const { list, price } = call.operation
    if (list !== undefined && price.kind !== 'free') await store(path, call, body, credits).catch(onError)
  }
  const kept: Wrap = (send) => async (call) => {
    try {
      const result = await send(call)
      await keep(call, result.body, result.credits)
      return result
    } catch (error) {
      if (error instanceof InvalidResponseError && error.charged === 'yes')
        await keep(call, error.body, call.record.credits)
      throw error
    }
  }
  return { [wrap]: () => kept }
}

async function store(
  path: string,
  { operation, request }: Call,
  body: unknown,
  credits: CallCredits,
): Promise<void> {
  // All pages belong to one search.
  const params = Object.entries(request.params).filter(([name]) => name !== operation.paging?.param)
  const job = { mcp: operation.id, params: Object.fromEntries(params) }
  const records = itemsOf(operation, body) ?? []
  const database = await RecordDatabase.open(path, { operation, jobs: [] })
  try {
    await patiently(() =>
      database.store({ job, progress: {}, records, credits: { ...credits, reserved: 0 } }),
    )
  } finally {
    database.close()
  }
}
