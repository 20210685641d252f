import { type OperationId, operationOf } from '../api/operations.ts'
import { sourceOf } from './account.ts'
import { CommandError, UsageError } from './command-errors.ts'
import { complain } from './error-text.ts'
import { findRecords } from './database/find.ts'
import { withRecords } from './database/open-database.ts'
import type { SharedFlags } from './flags.ts'
import { toStderr } from './terminal.ts'
import { openClient } from './client.ts'
import type { Operation } from '../api/operation.ts'
import { itemsOf } from '../api/list-items.ts'
import { ConfigurationError, InvalidResponseError } from '../errors/index.ts'
import { type Call, type Answer, type Send, type Wrap, type Wrapping, contextOf, wrap } from '../extend.ts'
import type { Observer } from '../index.ts'
import { RecordDatabase } from './database/record-database.ts'

const serverPackage = '@modelcontextprotocol/server'

export interface McpFlags extends SharedFlags {
  readonly confirmAbove?: number
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
  if (archive !== out && archive !== undefined) await withRecords(archive, 'mcp', () => {})
  const opened = await openClient(flags, 'mcp')
  // Credits of the sandbox cost nothing.
  const budget = opened.budget ?? (sandbox === true ? 100 : undefined)
  if (budget === undefined)
    throw new UsageError(
      'mcp needs --budget: credits for the session, such as 100, or for all commands, such as 200/day',
    )
  const keeper = out === undefined ? undefined : await keepAnswers(out, flags)
  const client = opened.client.withOptions({ observers: keeper ? [keeper] : [] })
  const { createMcp } = await loadMcp()
  if (out !== undefined) toStderr(`${out} keeps what is bought: each call with its params, cost and time`)
  const server = createMcp({
    client,
    budget,
    ...(confirmAbove !== undefined && { confirmAbove }),
    ...(allow !== undefined && { allow: allow as OperationId[] }),
    ...(archive !== undefined && {
      archive: { find: (query, options) => findRecords(archive, query, options) },
    }),
    simulated: sandbox === true,
  })
  const end = async (): Promise<void> => {
    await client.close()
    await keeper?.close()
    const { spent, uncertain } = client.credits
    process.stderr.write(`${JSON.stringify({ spent, uncertain })}\n`)
    await opened.close()
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
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new CommandError(
      'failed',
      `mcp needs the package ${serverPackage}; install it: npm install ${serverPackage}`,
    )
  }
}

/**
 * Keeps in a file what a client pays for, for `mcp`, where an agent chooses the calls: each purchase, and its records if it has some.
 *
 * It complains about an answer that could not be kept, which its caller has all the same.
 *
 * @returns an observer of the client; `close()` resolves when the file has what all calls have brought.
 * @throws {UsageError} for a file that cannot keep them.
 */
export async function keepAnswers(
  path: string,
  { costLabel: label, sandbox }: Pick<SharedFlags, 'costLabel' | 'sandbox'>,
): Promise<Observer & Wrapping & { close(): Promise<void> }> {
  // A file without records could not be searched.
  const search = operationOf('microblog.search') as Operation
  const file = await RecordDatabase.open(path, { operation: search, searchKeys: [], sandbox, label })
  await file.assertWritable(search)
  const pending = new Set<Promise<unknown>>()
  const kept: Wrap = (send) => (call) => {
    if (call.operation.price.kind === 'free') return send(call)
    const work = keepAnswer(file, send, call, sourceOf(sandbox))
    const settled = work.catch(() => {}).finally(() => pending.delete(settled))
    pending.add(settled)
    return work
  }
  return {
    [wrap]: () => kept,
    async close() {
      await Promise.all(pending)
      file.close()
    },
  }
}

async function keepAnswer(file: RecordDatabase, send: Send, call: Call, source: object): Promise<Answer> {
  const { operation, request } = call
  // All pages belong to one search.
  const params = Object.entries(request.params).filter(([name]) => name !== operation.paging?.param)
  const searchKey = { mcp: operation.id, params: Object.fromEntries(params), ...source }
  const keep = async (body: unknown): Promise<void> => {
    if (operation.list === undefined) return
    const page = { searchKey, progress: {}, records: itemsOf(operation, body) ?? [] }
    await file.storePage(page).catch(complain)
  }
  try {
    const result = await file.send(send, call, searchKey)
    await keep(result.body)
    return result
  } catch (error) {
    if (error instanceof InvalidResponseError && error.charged === 'yes') await keep(error.body)
    if (!(error instanceof CommandError)) throw error
    // The agent is to know that it was not charged.
    throw new ConfigurationError(error.message, contextOf(operation, request))
  }
}
