import { clientTransport } from '../core/call/transport.ts'
import { text as textOf } from 'node:stream/consumers'
import { count } from '../lib/count.ts'
import type { Operation } from '../api/operation.ts'
import type { OperationId } from '../api/operations.ts'
import type { OpenRecord } from '../api/undocumented.ts'
import { PagedCall } from '../core/pages/paged-call.ts'
import { itemsOf } from '../api/list-items.ts'
import { ApiError } from '../errors/index.ts'
import { exitCodeOf } from './exit-codes.ts'
import { type SharedFlags, flagOf, kebab, paramsFlag, paramsOf } from './flags.ts'
import { type Format, createFormatter, fieldsFor } from './formats.ts'
import { JobFile, type JobState } from './job-file.ts'
import { type WalkOptions, budgetOf, clientFor, walkOptions } from './options.ts'
import { Stop } from './stop.ts'
import { complain, print, showProgress, tell } from './terminal.ts'
import { UsageError, exitCodes } from './command-errors.ts'

/** Runs the command of one operation; returns its exit code. */
export async function runOperation(
  operation: Operation,
  positional: string | undefined,
  flags: SharedFlags & Readonly<Record<string, unknown>>,
): Promise<number> {
  const open = flags.params ?? flags.body
  const { params, id } = paramsOf(
    operation,
    positional,
    flags,
    open === '-' ? await textOf(process.stdin) : open,
  )
  const format = formatOf(operation, flags)
  const fields = fieldsFor(operation, flags.fields)
  const formatter = createFormatter(format, operation, {
    fields,
    width: flags.out === undefined && process.stdout.isTTY ? process.stdout.columns || 80 : undefined,
  })
  const isBold = process.stdout.isTTY && flags.color !== false && !process.env['NO_COLOR']
  const walk: WalkOptions = operation.paging === undefined ? {} : walkOptions(flags)
  const stop = new Stop()
  // The state has the highest cost of a page before the page is sent, so that a kill cannot hide it from the budget.
  const keepCredits = (): void => {
    try {
      job?.keepCredits(credits())
    } catch (error) {
      stop.abort(error)
    }
  }
  const { hooks } = stop
  const client = clientFor(flags, {
    hooks: { ...hooks, beforeRequest: [...hooks.beforeRequest, keepCredits] },
  })
  // Check the params and the budget before a file is created.
  client.quote(operation.id as OperationId, id ?? params)
  budgetOf(flags)

  const start: JobState = {
    ...{ operation: operation.id, params, format, fields: fields ?? null },
    ...{ next: params, bytes: 0, records: 0, credits: 0 },
  }
  const job = jobOf(flags, start)
  const state = job?.state ?? start
  /** Of all runs together: spent, perhaps spent, and reserved. */
  const credits = (): number => {
    const { spent, uncertain, reserved } = client.credits
    return state.credits + spent + uncertain + reserved
  }
  const options = { ...walk, budget: budgetOf(flags, state.credits), signal: stop.signal }
  let next: object | null | undefined = state.next
  let { records } = state
  let pages = 0
  let head = state.bytes === 0 ? formatter.head : ''
  let unwritten: unknown
  try {
    if (next !== null) job?.reserve()
    for await (const page of pagesOf()) {
      const items = operation.list === undefined ? [page] : (itemsOf(operation, page) ?? [page])
      // A file takes whole pages, so that --resume buys no page twice.
      const most = job === undefined && walk.limit !== undefined ? walk.limit - records : items.length
      const written = items.slice(0, most)
      records += written.length
      pages++
      next = operation.paging === undefined ? null : (page['next'] as object | null)
      const text = head + formatter.page(written)
      head = ''
      unwritten = page
      if (job !== undefined) job.append(text, { next, records, credits: credits() })
      else if (!(await print(text, isBold && formatter.isTitled))) return 0
      unwritten = undefined
      const isLast =
        next === null || pages === walk.maxPages || records - state.records >= (walk.limit ?? Infinity)
      if (!isLast) job?.reserve()
      showProgress(flags, `${count(records, 'record')}, ${count(credits(), 'credit')}`)
      stop.pageIsWritten()
    }
    if (job === undefined) await print(head + formatter.tail)
    else if (head !== '') job.append(head, { next, records, credits: credits() })
    showProgress(flags, '')
    if (state.next === null) tell(flags, `${flags.out} is complete: nothing was sent`)
    else if (job !== undefined)
      tell(flags, `${flags.out}: ${count(records, 'record')}, ${count(job.state.credits, 'credit')}`)
    if (next != null && flags.limit === undefined && !flags.all)
      tell(flags, `There is more: ${continuation(operation, flags, next)}`)
    return 0
  } catch (error) {
    const reason: unknown = stop.signal.aborted ? stop.signal.reason : error
    const code = exitCodeOf(exitCodeOf(error) === exitCodes.unknown ? error : reason)
    const failed = (error as { next?: object | null }).next ?? next
    // A request that the service finds invalid stays so.
    const isInvalid = code === exitCodes.usage || (reason instanceof ApiError && reason.status === 400)
    const left = walk.limit === undefined ? undefined : walk.limit - records
    let command =
      failed == null || operation.paging === undefined || isInvalid
        ? undefined
        : continuation(operation, flags, failed, left)
    if (job !== undefined && command !== undefined && code === exitCodes.budget)
      command += ' and a higher --budget, which counts all runs'
    complain(flags, reason, command, unwritten)
    return code
  } finally {
    job?.close(credits())
    stop.end()
  }

  async function* pagesOf(): AsyncGenerator<OpenRecord> {
    if (state.next === null) return
    const transport = clientTransport(client.transport)
    if (operation.paging === undefined)
      yield (await transport.request(operation, params, options, id)).body as OpenRecord
    else
      yield* new PagedCall<OpenRecord, unknown>(transport, operation, params, options).resume(state).pages()
  }
}

function formatOf(operation: Operation, flags: SharedFlags): Format {
  const { format, out, resume } = flags
  if (out === undefined) {
    if (resume === true) throw new UsageError('--resume needs --out, the file to continue')
    return (
      (format as Format | undefined) ??
      (process.stdout.isTTY ? (operation.list === undefined ? 'json' : 'table') : 'jsonl')
    )
  }
  const chosen = (format as Format | undefined) ?? (out.endsWith('.csv') ? 'csv' : 'jsonl')
  if (chosen !== 'jsonl' && chosen !== 'csv')
    throw new UsageError(
      `--out takes --format jsonl or csv, which can be resumed; for ${chosen}, redirect the output`,
    )
  return chosen
}

function jobOf({ out, resume }: SharedFlags, start: JobState): JobFile | undefined {
  if (out === undefined) return undefined
  return resume === true ? JobFile.resume(out, start) : JobFile.create(out, start)
}

/** Flags that the next command repeats. */
const repeated = [
  ...['sandbox', 'baseUrl', 'all', 'maxPages', 'budget', 'perMinute', 'timeout', 'validation'],
  ...['format', 'fields', 'quiet', 'json'],
] as (keyof SharedFlags)[]

/** The command that continues after this one. */
function continuation({ id }: Operation, flags: SharedFlags, next: object, limit?: number): string {
  if (flags.out !== undefined) return 'the same command with --resume'
  const all = repeated.flatMap((name) => flagOf(name, flags[name]))
  const parts = [...all, ...flagOf('limit', limit), paramsFlag(next)]
  return `social-search ${id.split('.').map(kebab).join(' ')} ${parts.join(' ')}`
}
