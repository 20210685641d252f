import { cellOf } from '../extensions/export/fields.ts'
import { type FormatOptions, type Formatter, lineAt, localTime, oneLine, styled } from './formatter.ts'
import { cut, widthOf } from './text-layout.ts'

/** Room that a column of texts needs, except for the longest texts, which need a third of the line. */
const textWidth = 16
const gap = 2

interface Column {
  readonly name: string
  readonly title: string
  readonly isNumber: boolean
  /** Ids, dates, numbers and addresses are never cut. */
  readonly isWhole: boolean
  readonly least: number
  width: number
}

/**
 * Formats records as a table, as wide as the terminal: ids whole, short local dates, numbers at the right, and texts in
 * the room that is left.
 *
 * @param documented The documented fields, if the service documents them.
 */
export function createTable(documented: readonly string[] | undefined, options: FormatOptions): Formatter {
  const { fields, width = 120 } = options
  let columns: readonly Column[] | undefined
  let link: string | undefined
  const cell = (record: unknown, name: string): string => lineAt(record, name, options)
  return {
    isStyled: true,
    page(records) {
      if (records.length === 0) return ''
      const lines: string[] = []
      if (columns === undefined) {
        columns = columnsFor(records)
        const titles = lineOf(columns, ({ title }) => title)
        lines.push(styled('bold', titles, options))
      }
      for (const record of records) {
        lines.push(lineOf(columns, ({ name }) => cell(record, name)))
        if (link !== undefined) lines.push(`  ${styled('dim', cell(record, link), options)}`)
      }
      return lines.map((line) => `${line}\n`).join('')
    },
  }

  function columnsFor(records: readonly unknown[]): readonly Column[] {
    const names = fields ?? documented ?? Object.keys(Object(records[0]) as object)
    const cells = (name: string): string[] => records.map((record) => cell(record, name))
    const isLink = (name: string): boolean =>
      name !== 'id' && cells(name).some((text) => /^(https?|urn):/.test(text))
    const shown = fields ?? names.filter((name) => !isLink(name) && cells(name).some((text) => text !== ''))
    // A record without an id can be found again by its address, which is too long for a column.
    if (fields === undefined && !names.includes('id')) link = names.find(isLink)
    const short = (name: string): string =>
      (name.split('.').at(-1) ?? name).replaceAll(/^num(?=[A-Z])|Count$/g, '')
    const all = shown.map((name): Column => {
      const values = records.map((record) => cellOf(record, name.split('.'), ', '))
      const known = values.filter((value) => value !== null)
      const isNumber = known.length > 0 && known.every((value) => typeof value === 'number')
      const isDate = known.length > 0 && known.every((value) => localTime(value) !== undefined)
      const isWhole = isNumber || isDate || /(^|[._])id$|Id$/.test(name) || isLink(name)
      const isUnique = shown.filter((other) => short(other) === short(name)).length === 1
      const title = oneLine(isUnique ? short(name) : name, options)
      const width = Math.max(...[title, ...cells(name)].map(widthOf))
      const least = isWhole ? width : Math.min(width, Math.max(4, widthOf(title)))
      return { name, title, isNumber, isWhole, least, width }
    })
    return shrinkTexts(fields === undefined ? thoseThatFit(all) : all)
  }

  /** The id, the title or the longest text, and the first other columns that fit. Ids of other records come last. */
  function thoseThatFit(columns: readonly Column[]): Column[] {
    const main = mainTextOf(columns)
    const isOther = ({ name }: Column): boolean => name !== 'id' && /Id$/.test(name)
    const chosen = new Set<Column>()
    let room = width + gap
    const first = columns.filter((column) => column.name === 'id' || column === main)
    const others = [...columns.filter((each) => !isOther(each)), ...columns.filter(isOther)]
    for (const column of new Set([...first, ...others])) {
      const needed = gap + roomFor(column, main)
      if (chosen.size > 0 && needed > room) continue
      chosen.add(column)
      room -= needed
    }
    return columns.filter((column) => chosen.has(column))
  }

  /** Shrinks texts until the line fits: the longest to the room that it needs, then the others, then all. */
  function shrinkTexts(columns: readonly Column[]): readonly Column[] {
    let over = columns.reduce((sum, column) => sum + column.width + gap, -gap) - width
    const main = mainTextOf(columns)
    const texts = columns
      .filter(({ isWhole }) => !isWhole)
      .sort((a, b) => Number(b === main) - Number(a === main))
    for (const leastOf of [(column: Column) => roomFor(column, main), ({ least }: Column) => least])
      for (const column of texts) {
        const less = Math.max(0, Math.min(over, column.width - leastOf(column)))
        column.width -= less
        over -= less
      }
    return columns
  }

  /** The room that a column needs to be shown. */
  function roomFor(column: Column, main: Column | undefined): number {
    const wanted = column === main ? Math.max(textWidth, Math.floor(width / 3)) : textWidth
    return Math.max(column.least, Math.min(column.width, wanted))
  }
}

/** The column that says most: the title, or the longest text. */
function mainTextOf(columns: readonly Column[]): Column | undefined {
  const title = columns.find(({ name }) => name === 'title')
  return title ?? columns.filter(({ isWhole }) => !isWhole).sort((a, b) => b.width - a.width)[0]
}

function lineOf(columns: readonly Column[], textOf: (column: Column) => string): string {
  const cells = columns.map((column) => {
    const { isNumber, isWhole, width } = column
    const text = isWhole ? textOf(column) : cut(textOf(column), width)
    const rest = ' '.repeat(Math.max(0, width - widthOf(text)))
    return isNumber ? rest + text : text + rest
  })
  return cells.join(' '.repeat(gap)).trimEnd()
}
