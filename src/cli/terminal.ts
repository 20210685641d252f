import { styleText } from 'node:util'
import type { Wait } from '../index.ts'
import { waitReasons } from '../extend.ts'
import { cut, wrap } from './text-layout.ts'

let failure: NodeJS.ErrnoException | undefined
process.stdout.on('error', (error: NodeJS.ErrnoException) => (failure = error))
// Without a reader of its messages, a command goes on.
process.stderr.on('error', () => {})

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

/** A text as a stream gets it. */
function textFor({ isTTY }: NodeJS.WriteStream, text: string, isStyled: boolean): string {
  return isTTY && !isStyled ? escapedForTerminal(text) : text
}

type Style = 'bold' | 'dim' | 'green' | 'red'

/** Styles a text for a terminal, unless `NO_COLOR` is set. */
export function styled(style: Style, text: string, { isTTY }: { isTTY: boolean } = process.stdout): string {
  return isTTY && !process.env['NO_COLOR'] ? styleText(style, text, { validateStream: false }) : text
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
    const { stdout } = process
    await new Promise<void>((resolve) => void stdout.write(textFor(stdout, text, isStyled), () => resolve()))
    // The error event comes a moment later.
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (failure === undefined) return true
  if (failure.code === 'EPIPE') return false
  throw failure
}

/** Says on stdout that something is done, with a check mark on a terminal. */
export async function printDone(text: string): Promise<void> {
  const { isTTY } = process.stdout
  await print(isTTY ? `${styled('green', '✓')} ${escapedForTerminal(text)}\n` : `${text}\n`, true)
}

/** Shows a line on a terminal. */
export function tell(message: string): void {
  if (process.stderr.isTTY) say(message)
}

/** Replaces the line that shows how far a job is, on a terminal only. */
export function showProgress(message: string): void {
  clearProgress()
  if (!process.stderr.isTTY) return
  process.stderr.write(cut(message, process.stderr.columns - 1))
  hasProgress = true
}

/** Why a job waits: `waiting until 07:01:20: the service asked to slow down`. */
export function waitText({ reason, until }: Wait): string {
  return `waiting${until === null ? '' : ` until ${until.toTimeString().slice(0, 8)}`}: ${waitReasons[reason]}`
}

function clearProgress(): void {
  if (hasProgress) process.stderr.write('\r\u001b[K')
  hasProgress = false
}

/**
 * Writes a line to stderr.
 *
 * @param isStyled The text has styles, and the rest of it is escaped.
 */
export function say(message: string, isStyled = false): void {
  clearProgress()
  process.stderr.write(textFor(process.stderr, `${message}\n`, isStyled))
}

/** Breaks a text between words if it goes to a terminal, and escapes it first. */
export function wrapped(
  text: string,
  { isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>,
): string {
  return isTTY ? wrap(escapedForTerminal(text), columns || 80) : text
}
