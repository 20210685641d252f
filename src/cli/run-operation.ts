import { count } from '../lib/count.ts'
import type { Operation } from '../api/operation.ts'
import type { OperationId } from '../api/operations.ts'
import { itemsOf } from '../api/list-items.ts'
import { ApiError, SocialSearchError } from '../errors/index.ts'
import { isInstance } from '../lib/thrown.ts'
import { answerCache } from './answer-cache.ts'
import { openLink } from './browser.ts'
import { cardOf } from './card.ts'
import { type SharedFlags, commandOf, flagOf, paramsFlag, paramsOf, withoutStdout } from './flags.ts'
import { nothingFound } from './formatter.ts'
import { type Format, createFormatter, fieldsFor } from './formats.ts'
import { JobFile, type JobState } from './job-file.ts'
import { type WalkOptions, budgetOf, clientFor, pagesOf, walkOptions } from './options.ts'
import { Stop } from './stop.ts'
import { complain, print, showProgress, tell, waitText } from './terminal.ts'
import { UsageError, exitCodes, exitCodeOf } from './command-errors.ts'

/** Runs the command of one operation; returns its exit code. */
export async function runOperation(
  operation: Operation,
  positional: string | undefined,
  flags: SharedFlags & Readonly<Record<string, unknown>>,
): Promise<number> {
  flags = withoutStdout(flags)
  const { params, id } = await paramsOf(operation, flags, positional)
  const format = formatOf(operation, flags)
  const fields = fieldsFor(operation, flags.fields)
  const formatter = createFormatter(format, operation, {
    fields,
    bom: flags.bom,
    width: flags.out === undefined && process.stdout.isTTY ? process.stdout.columns || 80 : undefined,
    isColored: process.stdout.isTTY && flags.color !== false && !process.env['NO_COLOR'],
  })
  const walk: WalkOptions = operation.paging === undefined ? {} : walkOptions(flags)
  const stop = new Stop()
  const prepareFile = (): void => {
    try {
      // So that a full disk ends the job before it buys the page.
      job?.reserve()
      // The state has the highest cost of a page before the page is sent, so that a kill cannot hide it from the budget.
      job?.keepCredits(credits())
    } catch (error) {
      stop.abort(error)
    }
  }
  const { hooks } = stop
  const answers = await answerCache(flags)
  const client = clientFor(flags, {
    ...answers.options,
    hooks: { ...hooks, beforeRequest: [...hooks.beforeRequest, prepareFile] },
    onWait: (wait) => showProgress(flags, `${done()}, ${waitText(wait)}`),
  })
  // Check the params and the budget before a file is created.
  client.quote(operation.id as OperationId, id ?? params)
  budgetOf(flags)

  const start: JobState = {
    ...{ operation: operation.id, params, format, fields: fields ?? null },
    ...{ next: params, bytes: 0, records: 0, credits: 0 },
  }
  const { out } = flags
  const job = out === undefined ? undefined : JobFile[flags.resume === true ? 'resume' : 'create'](out, start)
  const state = job?.state ?? start
  /** Of all runs together: spent, perhaps spent, and reserved. */
  const credits = (): number => {
    const { spent, uncertain, reserved } = client.credits
    return state.credits + spent + uncertain + reserved
  }
  const done = (): string =>
    `${count(records, 'record')}, ${count(credits() - client.credits.reserved, 'credit')}`
  const options = { ...walk, budget: budgetOf(flags, state.credits), signal: stop.signal }
  let next: object | null | undefined = state.next
  let { records } = state
  let pages = 0
  let head = (state.bytes === 0 && formatter.head) || ''
  let unwritten: unknown
  try {
    for await (const page of pagesOf(client, operation, { params, id, state }, options)) {
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
      else if (!(await print(text, formatter.isStyled))) return 0
      unwritten = undefined
      if (flags.web === true && pages === 1) openLink(written[0])
      showProgress(flags, done())
      stop.pageIsWritten()
    }
    const isEmpty = records === 0 && formatter.isStyled === true
    if (job === undefined) await print(head + (formatter.tail ?? '') + (isEmpty ? nothingFound : ''))
    else if (head !== '') job.append(head, { next, records, credits: credits() })
    showProgress(flags, '')
    if (state.next === null) tell(flags, `${flags.out} is complete: nothing was sent`)
    else if (job !== undefined) tell(flags, `${flags.out}: ${done()}`)
    if (next != null && flags.limit === undefined && !flags.all)
      tell(flags, `There is more: ${continuation(operation, flags, next)}`)
    return 0
  } catch (error) {
    const reason: unknown = stop.signal.aborted ? stop.signal.reason : error
    const code = exitCodeOf(exitCodeOf(error) === exitCodes.unknown ? error : reason)
    const failed = (isInstance(error, SocialSearchError) ? error.next : undefined) ?? next
    // A request that the service finds invalid stays so.
    const isInvalid = code === exitCodes.usage || (isInstance(reason, ApiError) && reason.status === 400)
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
    answers.report(client)
    stop.end()
  }
}

function formatOf(operation: Operation, flags: SharedFlags): Format {
  const { out, resume, bom } = flags
  if (out === undefined && resume === true) throw new UsageError('--resume needs --out, the file to continue')
  const format = (flags.format as Format | undefined) ?? defaultFormat(operation, flags)
  if (out !== undefined && format !== 'jsonl' && format !== 'csv')
    throw new UsageError(
      `--out takes --format jsonl or csv, which can be resumed; for ${format}, redirect the output`,
    )
  if (bom === true && format !== 'csv') throw new UsageError('--bom needs --format csv')
  return format
}

function defaultFormat({ id, list }: Operation, { out, fields }: SharedFlags): Format {
  if (out !== undefined) return out.endsWith('.csv') ? 'csv' : 'jsonl'
  if (!process.stdout.isTTY) return 'jsonl'
  if (list === undefined) return 'json'
  return cardOf(id) !== undefined && fields === undefined ? 'card' : 'table'
}

/** Flags that the next command repeats. */
const repeated = [
  ...['sandbox', 'baseUrl', 'profile', 'all', 'maxPages', 'cache', 'budget', 'perMinute', 'timeout'],
  ...['validation', 'format', 'fields', 'quiet', 'json'],
] as (keyof SharedFlags)[]

/** The command that continues after this one. */
function continuation({ id }: Operation, flags: SharedFlags, next: object, limit?: number): string {
  if (flags.out !== undefined) return 'the same command with --resume'
  const all = repeated.flatMap((name) => flagOf(name, flags[name]))
  const parts = [...all, ...flagOf('limit', limit), paramsFlag(next)]
  return `social-search ${commandOf(id)} ${parts.join(' ')}`
}
