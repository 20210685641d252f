import {
  InvalidResponseError,
  PaginationError,
  ReauthorizationRequiredError,
  SocialSearchError,
} from '../errors/index.ts'
import { messageOf } from '../lib/thrown.ts'
import type { Wait } from '../index.ts'
import type { SharedFlags } from './flags.ts'
import { proxyHint } from './proxy-hint.ts'
import { cut, wrap } from './text-layout.ts'

let failure: NodeJS.ErrnoException | undefined
process.stdout.on('error', (error: NodeJS.ErrnoException) => (failure = error))

/** Write our own styles, which `escapeOn` would escape. */
const writeStyled = { stdout: escapeOn(process.stdout), stderr: escapeOn(process.stderr) }

/** Escapes what any code writes to a terminal, libraries too. Returns the stream's own `write`, which does not. */
function escapeOn(stream: NodeJS.WriteStream): NodeJS.WriteStream['write'] {
  const write = stream.write.bind(stream)
  if (stream.isTTY)
    stream.write = (chunk: string | Uint8Array, ...rest: []) =>
      write(escapedForTerminal(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()), ...rest)
  return write
}

/**
 * Escapes what terminals obey: control characters, except for line breaks and tabs, and those that turn the direction of
 * text. JSON stays the same JSON.
 */
export function escapedForTerminal(text: string): string {
  return text.replaceAll(
    /(?![\n\t]|\r\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

let hasProgress = false

/**
 * Writes data to stdout; returns false if its reader has closed it, as `head` does.
 *
 * @param isStyled The text has styles, and the rest of it is escaped.
 * @throws any other error of the write.
 */
export async function print(text: string, isStyled = false): Promise<boolean> {
  if (failure === undefined && text !== '') {
    clearProgress()
    const write = isStyled ? writeStyled.stdout : process.stdout.write.bind(process.stdout)
    await new Promise<void>((resolve) => void write(text, () => resolve()))
    // The error event comes a moment later.
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (failure === undefined) return true
  if (failure.code === 'EPIPE') return false
  throw failure
}

/** Shows a line on a terminal, unless `--quiet` is set. */
export function tell({ quiet }: SharedFlags, message: string): void {
  if (quiet !== true && process.stderr.isTTY) say(message)
}

/** Replaces the line that shows how far a job is, on a terminal only. */
export function showProgress({ quiet }: SharedFlags, message: string): void {
  clearProgress()
  if (quiet === true || !process.stderr.isTTY) return
  process.stderr.write(cut(message, process.stderr.columns - 1))
  hasProgress = true
}

/** Why a job waits: `waiting (rate limit) until 07:01:20`. */
export function waitText({ reason, until }: Wait): string {
  return `waiting (${reason})${until === null ? '' : ` until ${until.toTimeString().slice(0, 8)}`}`
}

function clearProgress(): void {
  if (hasProgress) writeStyled.stderr('\r\u001b[K')
  hasProgress = false
}

/** Writes a line to stderr. */
export function say(message: string): void {
  clearProgress()
  process.stderr.write(`${message}\n`)
}

/** Breaks a text between words if it goes to a terminal, and escapes it first. */
export function wrapped(
  text: string,
  { isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>,
): string {
  return isTTY ? wrap(escapedForTerminal(text), columns || 80) : text
}

/**
 * Reports an error: its message, or with `--json` one object with its fields.
 *
 * @param next The command that continues.
 * @param paid Paid data that could not be written.
 */
export function complain(
  { json }: SharedFlags,
  error: unknown,
  next?: string,
  paid: unknown = paidData(error),
): void {
  const fields = fieldsOf(error)
  if (json === true) {
    say(JSON.stringify({ ...fields, ...(paid !== undefined && { body: paid }), resume: next }))
    return
  }
  // The command has a flag for the option.
  const message = fields.message.replace('`ceiling`', '--ceiling')
  say(wrapped(`social-search: ${message}`, process.stderr))
  if (error instanceof ReauthorizationRequiredError) say('To continue, run social-search login again')
  const hint = proxyHint(error)
  if (hint !== undefined) say(hint)
  // A command stays in one line, so that it can be copied.
  if (next !== undefined) say(`To continue: ${next}`)
  if (paid !== undefined) say(`The response, which may have been charged:\n${JSON.stringify(paid)}`)
}

/** The fields of an error for `--json`. */
function fieldsOf(error: unknown): { readonly message: string } {
  if (error instanceof SocialSearchError) return error.toJSON() as SocialSearchError
  const { name = 'Error', code = 'failed' } = (error ?? {}) as Partial<Error & { code: string }>
  return { name, code, message: messageOf(error) } as { readonly message: string }
}

function paidData(error: unknown): unknown {
  if (error instanceof InvalidResponseError) return error.body
  return error instanceof PaginationError ? error.page : undefined
}
