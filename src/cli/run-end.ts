import { complain } from './complain.ts'
import { say, showProgress, tell } from './terminal.ts'

/** What ended a run before it was done. */
export interface Ending {
  /** An error, `closed` output, or nothing. */
  readonly ended: { readonly error: unknown } | 'closed' | undefined
  /** Why the user, or a file that cannot be written, has stopped it. */
  readonly stopped: { readonly reason: unknown } | undefined
}

/** How a run ended: what to print, and its exit code. */
export interface RunEnd {
  readonly lines: readonly EndLine[]
  readonly code: number
  /** What it failed with, and the command that continues. */
  readonly failure?: { readonly reason: unknown; readonly next?: string | undefined }
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

/** Prints how a run has ended; returns its exit code. */
export function tellEnd({ lines, code, failure }: RunEnd, paid?: unknown): number {
  showProgress('')
  for (const { text, isForTerminal } of lines) (isForTerminal ? tell : say)(text)
  if (failure !== undefined) complain(failure.reason, failure.next, paid)
  return code
}
