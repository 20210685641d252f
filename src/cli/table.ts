import { cellOf } from '../extensions/export/fields.ts'
import { isIdName, shortNameOf } from './columns.ts'
import {
  type FormatOptions,
  type Formatter,
  cutToWidth,
  linkTo,
  localTime,
  oneLine,
  styled,
  widthOf,
  wrap,
} from './terminal.ts'

/** Most room of a column of texts, except for the longest texts, which need a good part of the line. */
const textWidth = 16
const mainShare = 0.4
const gap = 2

interface Column {
  readonly name: string
  readonly title: string
  readonly isNumber: boolean
  /** Ids, dates, numbers and addresses are never cut. */
  readonly isWhole: boolean
  readonly isDate: boolean
  /** Ids and dates stand back behind what people read. */
  readonly isDim: boolean
  width: number
}

/**
 * Formats records as a table, as wide as the terminal: ids whole, short local dates, numbers at the right, and texts in
 * the room that is left.
 *
 * @param documented The documented fields, if the service documents them.
 * @param titles Titles of columns, by the paths of the fields.
 */
export function createTable(
  documented: readonly string[] | undefined,
  options: FormatOptions,
  titles: Readonly<Record<string, string>> = {},
): Formatter {
  const { fields, width = 120 } = options
  let columns: readonly Column[] | undefined
  let link: string | undefined
  const cell = (record: unknown, name: string): string => {
    const value = cellOf(record, name, ', ')
    const text = typeof value === 'number' && !isIdName(name) ? value.toLocaleString('en') : value
    return oneLine(localTime(text) ?? String(text ?? ''), options)
  }
  return {
    isStyled: true,
    page(records) {
      if (records.length === 0) return ''
      const lines: string[] = []
      if (columns === undefined) {
        columns = columnsFor(records)
        lines.push(
          styled(
            'bold',
            lineOf(columns, ({ title }) => title),
          ),
        )
      }
      for (const record of records) {
        const address = link === undefined ? null : cellOf(record, link)
        lines.push(...rowOf(columns, ({ name }) => cell(record, name), address, options.width))
      }
      return lines.map((line) => `${line}\n`).join('')
    },
  }

  function columnsFor(records: readonly unknown[]): readonly Column[] {
    const names = fields ?? documented ?? byMeaning(records)
    const cells = (name: string): string[] => records.map((record) => cell(record, name))
    const isLink = (name: string): boolean =>
      name !== 'id' && cells(name).some((text) => /^(https?|urn):/.test(text))
    const shown = fields ?? names.filter((name) => !isLink(name) && cells(name).some((text) => text !== ''))
    // An address is too long for a column.
    if (fields === undefined)
      link = names.find((name) => isAddress(name) && isLink(name)) ?? names.find(isLink)
    const short = (name: string): string =>
      titles[name] ?? (name.split('.').at(-1) ?? name).replaceAll(/^num(?=[A-Z])|Count$/g, '')
    const all = shown.map((name): Column => {
      const values = records.map((record) => cellOf(record, name, ', '))
      const known = values.filter((value) => value !== null)
      const isNumber = known.length > 0 && known.every((value) => typeof value === 'number')
      const isDate = known.length > 0 && known.every((value) => localTime(value) !== undefined)
      const isId = isIdName(name)
      const isWhole = isNumber || isDate || isId || isLink(name)
      const isUnique = shown.filter((other) => short(other) === short(name)).length === 1
      const title = oneLine(isUnique ? short(name) : name, options)
      const width = Math.max(...[title, ...cells(name)].map(widthOf))
      return { name, title, isNumber, isWhole, isDate, isDim: isDate || isId, width }
    })
    return fitted(all)
  }

  /**
   * The title or the longest text, the id, and the first other columns that fit; ids of other records come last. The user's own
   * columns are all shown. The main text gets the room that the others leave.
   */
  function fitted(columns: readonly Column[]): Column[] {
    const main = mainTextOf(columns)
    for (const column of columns)
      if (!column.isWhole && column !== main)
        column.width = Math.min(column.width, Math.max(textWidth, widthOf(column.title)))
    const most = main?.width ?? 0
    if (main !== undefined)
      main.width = Math.min(main.width, Math.max(textWidth, Math.floor(width * mainShare)))
    const rank = (column: Column): number =>
      column === main ? 0 : column.name === 'id' ? 1 : /Id$/.test(column.name) ? 3 : 2
    const chosen = new Set<Column>()
    let room = width + gap
    for (const column of [...columns].sort((a, b) => rank(a) - rank(b))) {
      const needed = column.width + gap
      if (fields === undefined && chosen.size > 0 && needed > room) continue
      chosen.add(column)
      room -= needed
    }
    if (main !== undefined) main.width = Math.max(widthOf(main.title), Math.min(most, main.width + room))
    return columns.filter((column) => chosen.has(column))
  }
}

/** What says most about records whose fields are not documented, if they have it. */
const first = ['time', 'author', 'text', 'state']

/** The fields of records, those that say most first. */
function byMeaning(records: readonly unknown[]): string[] {
  const all = [...new Set(records.flatMap((record) => Object.keys(Object(record) as object)))]
  const rankOf = (name: string): number => {
    const rank = first.indexOf(shortNameOf(name))
    return rank !== -1 ? rank : isIdName(name) ? first.length + 1 : first.length
  }
  return all.sort((a, b) => rankOf(a) - rankOf(b))
}

/** The column that says most: the title, or the longest text. */
function mainTextOf(columns: readonly Column[]): Column | undefined {
  const texts = columns.filter(({ isWhole }) => !isWhole)
  return texts.find(({ name }) => name === 'title') ?? texts.sort((a, b) => b.width - a.width)[0]
}

/** Whether a field is the address of the record itself. */
function isAddress(name: string): boolean {
  return shortNameOf(name) === 'url' || /^(url|permalink)$/.test(name)
}

/** A record in one line, or on a terminal in two if its main text is long. Its date is a link, or else what comes first. */
function rowOf(
  columns: readonly Column[],
  textOf: (column: Column) => string,
  address: unknown,
  width: number | undefined,
): string[] {
  const main = mainTextOf(columns)
  const [first = '', ...more] =
    main === undefined || width === undefined ? [] : wrap(textOf(main), main.width).split('\n')
  const linked = columns.find(({ isDate }) => isDate) ?? columns[0]
  const shown = (column: Column, text: string): string => {
    const styledText = column.isDim ? styled('dim', text) : text
    return column === linked ? linkTo(address, styledText) : styledText
  }
  const top = lineOf(
    columns,
    (column) => (column === main && more.length > 0 ? first : textOf(column)),
    shown,
  )
  if (more.length === 0) return [top]
  return [top, lineOf(columns, (column) => (column === main ? more.join(' ') : ''))]
}

/** @param shown The text of a cell with its style and its link, which take no room. */
function lineOf(
  columns: readonly Column[],
  textOf: (column: Column) => string,
  shown = (_: Column, text: string): string => text,
): string {
  const cells = columns.map((column) => {
    const { isNumber, isWhole, width } = column
    const text = isWhole ? textOf(column) : cutToWidth(textOf(column), width)
    const rest = ' '.repeat(Math.max(0, width - widthOf(text)))
    return isNumber ? rest + shown(column, text) : shown(column, text) + rest
  })
  return cells.join(' '.repeat(gap)).trimEnd()
}
