import type { Operation } from '../api/operation.ts'
import type { Observer, SocialSearch } from '../index.ts'
import { exitCodeOf, exitNameOf } from './command-errors.ts'
import { complain } from './complain.ts'
import type { Progress } from './database/jobs.ts'
import { RecordDatabase, type RecordDatabaseOptions, type StoredPage } from './database/record-database.ts'
import type { SharedFlags } from './flags.ts'
import { createFormatter } from './formats.ts'
import { InterruptHandler } from './interrupt-handler.ts'
import { type Machine, openMachine } from './machine.ts'
import { clientFor } from './options.ts'
import { print, say, showProgress, tell, waitText } from './terminal.ts'

/** What a command reads, and what it says of it. A run does the rest: it keeps what is paid for, whatever ends it. */
export interface Job extends Omit<RecordDatabaseOptions, 'operation'> {
  readonly operation: Operation
  /** What `social-search budget` calls it. */
  readonly command: string
  readonly observers?: readonly Observer[]
  /** Asks before it spends without a limit. @param budget That of the flags, or the one that is set. */
  confirm(budget: string | undefined): Promise<void>
  /** Checks the params and the options before there is a file. */
  check(client: SocialSearch): void
  /** Reads what is paid for, batch by batch. A `yield` returns how many records were new once they are written. */
  batches(context: RunContext): AsyncGenerator<Batch, void, number>
  /** The job whose page is under way, and how far it is; undefined until the first one. */
  underWay(): Pick<StoredPage, 'job' | 'progress'> | undefined
  /** What has been done, in a few words. */
  status(): string
  end(ending: Ending): RunEnd | Promise<RunEnd>
}

export interface RunContext {
  readonly client: SocialSearch
  readonly machine: Machine
  readonly signal: AbortSignal
  /** What earlier runs have stored of each job of the file. */
  readonly earlier: readonly (Progress | undefined)[]
}

/** Records of a page that is paid for, and what a file keeps with them. */
export type Batch = Omit<StoredPage, 'credits' | 'now' | 'records'> & { readonly records: readonly unknown[] }

/** What has ended a run. */
export interface Ending {
  /** Whether the reader of the output has closed it. */
  readonly isClosed: boolean
  /** The error; undefined if the job is done. */
  readonly reason: unknown
  /** Whether the user, or a file that cannot be written, has stopped it. */
  readonly isStopped: boolean
  /** The page that could not be written, as the job has yielded it. */
  readonly unwritten: Batch | undefined
  readonly client: SocialSearch
}

/** What a run prints at its end, and its exit code; without one, that of `reason`. */
export interface RunEnd {
  readonly lines: readonly EndLine[]
  readonly reason?: unknown
  /** The command that continues. */
  readonly next?: string | undefined
  readonly code?: number
}

export interface EndLine {
  readonly text: string
  /** Whether only a person at a terminal needs it. */
  readonly isForTerminal: boolean
}

export function forTerminal(text: string): EndLine {
  return { text, isForTerminal: true }
}

/** Logs of nightly runs need it, too. */
export function forLogs(text: string): EndLine {
  return { text, isForTerminal: false }
}

/** What a run has done: `posts.db: 40 records (12 new) · 4 credits`. A file keeps it, so that its logs name both. */
export function summaryLine(out: string | undefined, done: string): EndLine {
  return out === undefined ? forTerminal(done) : forLogs(`${out}: ${done}`)
}

/** Runs a job: prints its records, or stores them with its progress. Returns the exit code. */
export async function run(job: Job, flags: SharedFlags): Promise<number> {
  const formatter = createFormatter(job.operation, flags)
  const machine = await openMachine(flags, job.command)
  let interrupt: InterruptHandler | undefined
  let database: RecordDatabase | undefined
  try {
    await job.confirm(machine.budget)
    let noted = 0
    const creditsOf = ({ spent, uncertain, reserved }: SocialSearch['credits']): number =>
      spent + uncertain + reserved
    // The file has the highest cost of a page before it is sent, so that a kill cannot hide it.
    const note = (): void => {
      const page = job.underWay()
      const { credits } = client
      if (page === undefined || creditsOf(credits) === noted) return
      database?.store({ ...page, credits })
      noted = creditsOf(credits)
    }
    interrupt = new InterruptHandler(note)
    const { signal } = interrupt
    const onWait: Observer['onWait'] = (wait) => showProgress(`${waitText(wait)} · ${job.status()}`)
    const observers = [{ onWait }, ...(job.observers ?? [])]
    const client = clientFor(flags, { ...machine.options, interrupt, observers }, machine.budgets)
    job.check(client)
    if (flags.out !== undefined) database = await RecordDatabase.open(flags.out, job)

    const batches = job.batches({ client, machine, signal, earlier: database?.progress ?? [] })
    let unwritten: Batch | undefined
    let isClosed = false
    let reason: unknown
    try {
      let pages = 0
      let records = 0
      for (let added = 0; ;) {
        const { done, value: batch } = await batches.next(added)
        if (done === true) break
        unwritten = batch
        const { credits } = client
        const { answeredAt: at, now } = interrupt
        if (database !== undefined) added = database.store({ ...batch, credits, at, now })
        else isClosed = !(await print(formatter.page(batch.records), formatter.isStyled))
        if (database === undefined) added = batch.records.length
        noted = creditsOf(credits)
        unwritten = undefined
        if (isClosed) break
        pages++
        records += batch.records.length
        showProgress(job.status())
        // From here on, an interruption loses nothing: the job meets the signal before its next page.
        interrupt.pageIsRead()
      }
      if (pages > 0 && records === 0 && formatter.isStyled && database === undefined)
        await print('nothing found\n')
    } catch (error) {
      // What may have been charged, or applied, says so.
      reason = signal.aborted && exitNameOf(error) !== 'unknown' ? signal.reason : error
    }
    await batches.return().catch(() => {})
    try {
      note()
    } catch {
      // The file still has the highest cost of the page, and the caller the error that ended the job.
    }
    const isStopped = signal.aborted
    return tellEnd(await job.end({ isClosed, reason, isStopped, unwritten, client }), unwritten)
  } finally {
    database?.close()
    interrupt?.end()
    await machine.close()
  }
}

/** Prints how a run has ended; returns its exit code. */
function tellEnd({ lines, reason, next, code }: RunEnd, unwritten: Batch | undefined): number {
  showProgress('')
  for (const { text, isForTerminal } of lines) (isForTerminal ? tell : say)(text)
  if (reason !== undefined) complain(reason, next)
  const paid = unwritten?.records.map((record) => `\n${JSON.stringify(record)}`) ?? []
  if (paid.length > 0) say(`You have paid for these records, which could not be written:${paid.join('')}`)
  return code ?? (reason === undefined ? 0 : exitCodeOf(reason))
}
