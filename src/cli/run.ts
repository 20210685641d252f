import { type Call, type Wrap, type Wrapping, wrap } from '../extend.ts'
import { jsonOf } from '../extensions/export/fields.ts'
import type { Observer, SocialSearch, Wait } from '../index.ts'
import { type OpenClient, openClient } from './client.ts'
import { CommandError, UsageError, exitCodeOf, exitNameOf } from './command-errors.ts'
import { complain } from './error-text.ts'
import { type RecordDatabaseOptions, type StoredPage, RecordDatabase } from './database/record-database.ts'
import type { SharedFlags } from './flags.ts'
import { createFormatter } from './formats.ts'
import { InterruptHandler } from './interrupt-handler.ts'
import { ask, print, toStderr, showProgress, toTerminal, waitText } from './terminal.ts'

/** What a command reads, and what it says of it. A run does the rest: it keeps what is paid for, whatever ends it. */
export interface Job extends Pick<RecordDatabaseOptions, 'operation' | 'searchKeys' | 'maxAge'> {
  /** What `social-search budget` calls it. */
  readonly command: string
  /** Checks the params before there is a file. Returns what the job costs if it must not spend that without a limit. */
  prepare(client: SocialSearch): string | undefined | Promise<string | undefined>
  /**
   * Reads what is paid for, page by page. A `yield` returns how many records were new once they are written.
   *
   * @param file Has what earlier runs have stored.
   */
  pages(
    opened: OpenClient,
    file: RecordDatabase | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<StoredPage, void, number>
  /** The search that a call is of. */
  searchKeyOf(call: Call): object
  /** What has been done, in a few words. */
  status(): string
  /** @param reason The error that has ended the run; undefined if the job is done. */
  end(reason: unknown): RunEnd | Promise<RunEnd>
}

/** What a run prints at its end, and its exit code; without one, that of `reason`. */
export interface RunEnd {
  /** What was found: for a person at a terminal. With a file, logs of nightly runs have it, too. */
  readonly lines?: readonly string[]
  /** What nobody must miss. */
  readonly notes?: readonly string[]
  /** What has been done, such as `40 records (12 new) · 4 credits`: always the last line, for whom `lines` are. */
  readonly summary?: string | undefined
  readonly reason?: unknown
  /** The command that continues. */
  readonly next?: string | undefined
  readonly code?: number
}

/** Runs a job: prints its records, or stores them with its progress. Returns the exit code. */
export async function run(job: Job, flags: SharedFlags): Promise<number> {
  const formatter = createFormatter(job.operation, flags)
  const { out, sandbox, costLabel: label } = flags
  let file: RecordDatabase | undefined
  let opened: OpenClient | undefined
  const interrupt = new InterruptHandler()
  const observers: (Observer & Partial<Wrapping>)[] = [
    { onWait: (wait: Wait) => showProgress(`${waitText(wait)} · ${job.status()}`) },
    {
      ...interrupt.observer,
      [wrap]: (): Wrap => (send) => (call) => {
        interrupt.follow(call)
        return file?.send(send, call, job.searchKeyOf(call)) ?? send(call)
      },
    },
  ]
  try {
    opened = await openClient(flags, job.command, { observers })
    const cost = await job.prepare(opened.client)
    if (cost !== undefined) await confirm(cost, flags, opened)
    interrupt.start()
    if (out !== undefined)
      file = await RecordDatabase.open(out, { ...job, sandbox, label, lockWait: interrupt })

    const write = async (page: StoredPage): Promise<number> => {
      if (file !== undefined) return file.storePage(page)
      await print(formatter.page(page.records), formatter.isStyled)
      return page.records.length
    }
    const pages = job.pages(opened, file, interrupt.signal)
    /** The page that could not be written. */
    let unwritten: StoredPage | undefined
    let reason: unknown
    let added = 0
    try {
      for (;;) {
        const { done, value: page } = await pages.next(added)
        if (done === true) break
        unwritten = page
        added = await write(page)
        unwritten = undefined
        await file?.forgetOld()
        showProgress(job.status())
        // From here on, an interruption loses nothing: the job meets the signal before its next page.
        interrupt.pageIsRead()
      }
    } catch (error) {
      // Whoever has closed the output wants no more of it.
      if (exitNameOf(error) === 'done') unwritten = undefined
      // What may have been charged, or applied, says so.
      reason = interrupt.signal.aborted && exitNameOf(error) !== 'unknown' ? interrupt.signal.reason : error
    }
    await pages.return().catch(() => {})
    return tellEnd(await job.end(reason), unwritten, out)
  } finally {
    file?.close()
    interrupt.end()
    await opened?.close()
  }
}

/**
 * Asks before a job spends without a limit.
 *
 * @throws {UsageError} without a terminal.
 * @throws {CommandError} if the answer is not yes.
 */
async function confirm(cost: string, { yes, sandbox }: SharedFlags, { budget }: OpenClient): Promise<void> {
  if (budget !== undefined || yes === true || sandbox === true) return
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(`${cost}; pass --budget, or --yes to spend without a limit`)
  if (await ask(`${cost}. No --budget is set. Continue?`)) return
  throw new CommandError('interrupted', 'not confirmed; nothing was sent')
}

/** Tells how a run has ended; returns its exit code. */
function tellEnd(
  { lines = [], notes = [], summary, reason, next, code }: RunEnd,
  unwritten: StoredPage | undefined,
  out: string | undefined,
): number {
  showProgress('')
  const put = out === undefined ? toTerminal : toStderr
  lines.forEach((line) => put(line))
  if (reason !== undefined) complain(reason, next)
  else if (next !== undefined) toTerminal(`To continue: ${next}`)
  notes.forEach((note) => toStderr(note))
  const paid = unwritten?.records.map((record) => `\n${jsonOf(record)}`) ?? []
  if (paid.length > 0)
    toStderr(`You have paid for these records, which could not be written:${paid.join('')}`)
  if (summary !== undefined) put(out === undefined ? summary : `${out}: ${summary}`)
  return code ?? (reason === undefined ? 0 : exitCodeOf(reason))
}
