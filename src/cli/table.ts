import { cellOf } from '../export/fields.ts'
import type { FormatOptions, Formatter } from './formatter.ts'
import { escapedForTerminal } from './terminal.ts'

/** A column that the user did not name needs this much room. */
const defaultWidth = 18
const gap = 2

/**
 * Formats records as a table, as wide as the terminal.
 *
 * @param documented The documented fields, if the service documents them.
 */
export function createTable(
  documented: readonly string[] | undefined,
  { fields, width: terminalWidth }: FormatOptions,
): Formatter {
  let columns = fields
  let widths: number[] | undefined
  let isTitled = false
  const width = terminalWidth ?? 120
  const cell = (record: unknown, name: string): string =>
    oneLine(String(cellOf(record, name.split('.'), ', ') ?? ''))
  const oneLine = (text: string): string => {
    const line = text.replaceAll(/[\t-\r\u2028\u2029]+/g, ' ')
    // Escape before the widths are measured.
    return terminalWidth === undefined ? line : escapedForTerminal(line)
  }
  return {
    get isTitled() {
      return isTitled
    },
    head: '',
    tail: '',
    page(records) {
      if (records.length === 0 && widths === undefined) return 'nothing found\n'
      const names = (columns ??= readable(documented ?? Object.keys(Object(records[0]) as object), records))
      const rows = records.map((record) => names.map((name) => cell(record, name)))
      isTitled = widths === undefined
      const titles = names.map(oneLine)
      const fitted = (widths ??= fit([titles, ...rows], width))
      const line = (cells: readonly string[]): string =>
        cells
          .map((cell, index) => pad(cell, fitted[index] ?? 0))
          .join(' '.repeat(gap))
          .trimEnd()
      return [...(isTitled ? [titles] : []), ...rows].map((cells) => `${line(cells)}\n`).join('')
    },
  }

  /** The first fields that fit, without empty ones and addresses, which are too long to read in a table. */
  function readable(names: readonly string[], records: readonly unknown[]): string[] {
    const most = Math.max(1, Math.floor((width + gap) / (defaultWidth + gap)))
    const isReadable = (name: string): boolean => {
      const cells = records.map((record) => cell(record, name))
      return cells.some((text) => text !== '') && !cells.some((text) => /^(https?|urn):/.test(text))
    }
    return names.filter(isReadable).slice(0, most)
  }
}

function pad(cell: string, width: number): string {
  const isCut = widthOf(cell) > width
  let text = ''
  let used = 0
  for (const letter of cell) {
    used += widthOf(letter)
    if (used > width - Number(isCut)) break
    text += letter
  }
  if (isCut) text += '…'
  return text + ' '.repeat(Math.max(0, width - widthOf(text)))
}

/** Columns of the terminal that a text takes: East Asian letters and emoji take two, combining marks and joiners none. */
function widthOf(text: string): number {
  let width = 0
  for (const letter of text)
    width += /[\p{Emoji_Presentation}\p{Script=Han}\p{Script=Hangul}\u3000-\u30ff\uff01-\uff60]/u.test(letter)
      ? 2
      : Number(!/[\p{M}\p{Cf}]/u.test(letter))
  return width
}

/** Widths that fit together; the widest columns shrink first. */
function fit(rows: readonly (readonly string[])[], width: number): number[] {
  const count = rows[0]?.length ?? 0
  const widths = Array.from({ length: count }, (_, index) =>
    Math.max(...rows.map((row) => widthOf(row[index] ?? ''))),
  )
  const room = Math.max(4 * count, width - gap * (count - 1))
  for (let over = widths.reduce((sum, each) => sum + each, 0) - room; over > 0; over--) {
    const widest = widths.indexOf(Math.max(...widths))
    widths[widest] = (widths[widest] ?? 1) - 1
  }
  return widths
}
