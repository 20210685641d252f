import { fstatSync, writeFileSync } from 'node:fs'
import stringWidth from 'fast-string-width'
import { createInterface } from 'node:readline'
import { styleText } from 'node:util'
import type { Wait } from '../index.ts'
import { waitReasons } from '../extend.ts'
import { wrapAnsi } from 'fast-wrap-ansi'
import { parseTime } from '../lib/time.ts'
import { CommandError } from './command-errors.ts'

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

/** Whether a stream is a terminal that obeys escape sequences. */
function takesEscapes({ isTTY }: { isTTY: boolean }): boolean {
  return isTTY && process.env['TERM'] !== 'dumb'
}

type Style = 'bold' | 'dim' | 'green' | 'red'

/** Styles a text for a terminal, unless `NO_COLOR` is set. */
export function styled(style: Style, text: string, stream: { isTTY: boolean } = process.stdout): string {
  return takesEscapes(stream) && !process.env['NO_COLOR']
    ? styleText(style, text, { validateStream: false })
    : text
}

/** A text that leads to an address, on a terminal that may have links: those that have none show the text. */
export function linkTo(address: unknown, text: string): string {
  const url = typeof address === 'string' && /^https?:/.test(address) ? URL.parse(address)?.href : undefined
  if (!takesEscapes(process.stdout) || process.env['TERM'] === 'linux' || url === undefined) return text
  return `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\`
}

let hasProgress = false

/**
 * Writes data to stdout.
 *
 * @param isStyled The text has styles, and the rest of it is escaped.
 * @throws {CommandError} if its reader has closed it, as `head` does: then the command is done.
 */
export async function print(text: string, isStyled = false): Promise<void> {
  if (failure === undefined && text !== '') {
    clearProgress()
    const { stdout } = process
    const shown = textFor(stdout, text, isStyled)
    // Node takes a part that a file has taken, before its disk was full, for the whole.
    if (typeof stdout.fd === 'number' && fstatSync(stdout.fd).isFile()) writeFileSync(stdout.fd, shown)
    else await new Promise<void>((resolve) => void stdout.write(shown, () => resolve()))
    // The error event comes a moment later.
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (failure?.code === 'EPIPE') throw new CommandError('done', 'the reader of the output has closed it')
  if (failure !== undefined) throw failure
}

/** Writes a line to stderr if that is a terminal. */
export function toTerminal(message: string): void {
  if (process.stderr.isTTY) toStderr(message)
}

/** Replaces the line that shows how far a job is, on a terminal that can. */
export function showProgress(message: string): void {
  clearProgress()
  if (!takesEscapes(process.stderr)) return
  process.stderr.write(cutToWidth(message, (process.stderr.columns || 80) - 1))
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
export function toStderr(message: string, isStyled = false): void {
  clearProgress()
  process.stderr.write(textFor(process.stderr, `${message}\n`, isStyled))
}

/** Asks a person a question. */
export async function ask(question: string): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
  const answer = await new Promise<string>((resolve) => {
    reader.on('close', () => resolve(''))
    reader.question(`${escapedForTerminal(question)} [y/N] `, resolve)
  })
  reader.close()
  return /^y(es)?$/i.test(answer.trim())
}

/** Breaks a text between words if it goes to a terminal, and escapes it first. */
export function wrapped(
  text: string,
  { isTTY, columns }: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>,
): string {
  return isTTY ? wrap(escapedForTerminal(text), columns || 80) : text
}

/** Longer lines are hard to read. */
export const longestLine = 100

/** Columns of the terminal that a text takes: East Asian letters and emoji take two, combining marks none. */
export const widthOf: (text: string) => number = stringWidth

/** Breaks a text between words, and words that are wider than a line. */
export function wrap(text: string, width: number): string {
  return wrapAnsi(text, width, { hard: true })
}

/** The text in one line of at most `width` columns; `…` stands for what is left out. */
export function cutToWidth(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let room = width - 1
  for (const { segment, index } of new Intl.Segmenter().segment(text)) {
    room -= widthOf(segment)
    if (room < 0) return `${text.slice(0, index)}…`
  }
  return text
}

/** Turns records into text, page by page. */
export interface Formatter {
  page(records: readonly unknown[]): string
  /** Whether the text is ready for a terminal: it has styles, and the rest is escaped. */
  readonly isStyled?: boolean
}

export interface FormatOptions {
  readonly fields: readonly string[] | undefined
  /** Columns of the terminal; undefined without a terminal. */
  readonly width: number | undefined
}

/** `2026-09-22 07:01` in the time zone of this machine, for a time in a record; undefined for anything else. */
export function localTime(value: unknown): string | undefined {
  if (typeof value !== 'string' || value[10] !== 'T') return undefined
  const time = parseTime(value)
  const local = new Date(time - new Date(time).getTimezoneOffset() * 60_000)
  return Number.isNaN(time) ? undefined : local.toISOString().slice(0, 16).replace('T', ' ')
}

/** `14:02` today, and `2026-11-20 14:02` on another day. */
export function timeOfDay(time: string): string {
  const today = localTime(new Date().toISOString())?.slice(0, 10) ?? ''
  return localTime(time)?.replace(`${today} `, '') ?? time
}

/** A text in one line. For a terminal, it is escaped, so that it can be measured. */
export function oneLine(text: string, { width }: FormatOptions): string {
  const line = text.replaceAll(/[\t-\r\u2028\u2029]+/g, ' ')
  return width === undefined ? line : escapedForTerminal(line)
}
