import { constants, crc32, deflateRawSync } from 'node:zlib'
import { type Column, cellOf, columnsOf } from '../extensions/export/fields.ts'
import { operations } from '../api/operations.ts'
import { parseTime } from '../lib/time.ts'
import { headersOf, inReadingOrder, isIdName, isTime, labelOf, shortNameOf } from './columns.ts'
import { UsageError } from './command-errors.ts'
import { widthOf } from './terminal.ts'

/** What Excel takes. */
const mostRows = 1_048_576
const mostLinks = 65_530
const longestText = 32_767
const longestName = 31

/** The widest columns: of the text, and of others. Longer texts have several lines, for which programs make room. */
const widest = { text: 80, other: 50 }

/** Days from the first day of a spreadsheet to 1970. */
const epoch = 25_569
const day = 86_400_000

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The styles of cells, by their places among the formats below. */
const styles = { header: 1, time: 2, link: 3, text: 4, count: 5 } as const

/** Without a name, a font is another one than that of unstyled cells. */
function fontOf(style = '', color = ''): string {
  return `<font>${style}<sz val="11"/>${color}<name val="Calibri"/></font>`
}

/** How cells look: a long text has several lines, which begin at the top. */
function cellFormat(attributes = '', isWrapped = false): string {
  const wrap = isWrapped ? ' wrapText="1"' : ''
  return `<xf ${attributes} applyAlignment="1"><alignment vertical="top"${wrap}/></xf>`
}

const cellFormats = [
  cellFormat(),
  cellFormat('fontId="1" applyFont="1"'),
  cellFormat('numFmtId="164" applyNumberFormat="1"'),
  cellFormat('fontId="2" applyFont="1"', true),
  cellFormat('', true),
  cellFormat('numFmtId="3" applyNumberFormat="1"'),
]

const styleSheet = `<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="3">${fontOf()}${fontOf('<b/>')}${fontOf('<u/>', '<color rgb="FF0563C1"/>')}</fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${cellFormats.length}">${cellFormats.join('')}</cellXfs></styleSheet>`

function relationsOf(targets: readonly (readonly [kind: string, target: string, mode?: string])[]): string {
  const all = targets.map(
    ([kind, target, mode = ''], index) =>
      `<Relationship Id="rId${index + 1}" Type="${relations}/${kind}" Target="${target}"${mode}/>`,
  )
  return `<Relationships xmlns="${packages}/relationships">${all.join('')}</Relationships>`
}

/** All parts but the sheets. */
function partsOf(names: readonly string[]): Readonly<Record<string, string>> {
  const sheets = names.map(
    (name, index) => `<sheet name="${xml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  )
  const types = names.map(
    (_, index) =>
      `<Override PartName="/xl/worksheets/sheet${index + 1}.xml" ContentType="${spreadsheet}.worksheet+xml"/>`,
  )
  return {
    '[Content_Types].xml': `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${spreadsheet}.sheet.main+xml"/>${types.join('')}<Override PartName="/xl/styles.xml" ContentType="${spreadsheet}.styles+xml"/></Types>`,
    '_rels/.rels': relationsOf([['officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${sheets.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationsOf([
      ...names.map((_, index) => ['worksheet', `worksheets/sheet${index + 1}.xml`] as const),
      ['styles', 'styles.xml'],
    ]),
    'xl/styles.xml': styleSheet,
  }
}

/** Records of one kind. */
export interface Sheet {
  readonly name: string
  readonly fields: readonly string[]
  parts(): Iterable<readonly unknown[]>
}

/**
 * A workbook with a sheet for each kind of records: texts, also ids, as texts, which are never formulas, times (in UTC) as times,
 * and links as links.
 *
 * @throws {UsageError} for more records than a sheet takes.
 */
export function* workbookOf(sheets: readonly Sheet[]): Generator<Uint8Array> {
  const zip = new ZipWriter()
  for (const [name, text] of Object.entries(partsOf(sheetNames(sheets))))
    yield* zip.add(name, [declaration, text])
  for (const [index, sheet] of sheets.entries()) {
    const links: Link[] = []
    yield* zip.add(`xl/worksheets/sheet${index + 1}.xml`, textsOf(sheet, links))
    const targets = links.map(({ address }) => ['hyperlink', xml(address), ' TargetMode="External"'] as const)
    if (links.length > 0)
      yield* zip.add(`xl/worksheets/_rels/sheet${index + 1}.xml.rels`, [declaration, relationsOf(targets)])
  }
  yield zip.end()
}

/** Names as Excel takes them: short, without some signs, none of its own, and each once. */
function sheetNames(sheets: readonly Sheet[]): string[] {
  const names: string[] = []
  for (const { name } of sheets) {
    const label = labelOf(name).replaceAll(/[\[\]:*?/\\\p{Cc}]/gu, ' ')
    const start = (length: number): string => {
      const text = label.slice(0, length).toWellFormed()
      return text.replaceAll(/^[\s']+|[\s']+$/g, '') || 'Table'
    }
    const isTaken = (text: string): boolean =>
      ['History', ...names].some((each) => each.toLowerCase() === text.toLowerCase())
    let unique = start(longestName)
    for (let number = 2; isTaken(unique); number++)
      unique = `${start(longestName - String(number).length - 1)} ${number}`
    names.push(unique)
  }
  return names
}

/** Numbers of the service that are amounts, and no ids. */
const counts: ReadonlySet<string> = new Set(
  operations
    .flatMap((operation): readonly Column[] => columnsOf(operation))
    .filter(({ path, type }) => type === 'number' && !isIdName(path))
    .map(({ path }) => path),
)

/** A column as its field and how it looks. */
interface SheetColumn {
  readonly field: string
  readonly letters: string
  readonly isTime: boolean
  readonly isCount: boolean
}

interface Link {
  readonly cell: string
  readonly address: string
}

/** @param links Those of its cells are added. */
function* textsOf(sheet: Sheet, links: Link[]): Generator<string> {
  const columns = inReadingOrder(sheet.fields).map((field, index): SheetColumn => ({
    ...{ field, letters: columnName(index), isTime: isTime(field), isCount: counts.has(field) },
  }))
  let rows = 1
  for (const records of sheet.parts()) {
    // The first part says how wide columns are.
    if (rows === 1) yield headOf(columns, records)
    yield records.map((record) => rowOf(columns, record, ++rows, links)).join('')
  }
  if (rows === 1) yield headOf(columns, [])
  const all = links.map(({ cell }, index) => `<hyperlink ref="${cell}" r:id="rId${index + 1}"/>`).join('')
  const filter = `<autoFilter ref="A1:${columnName(columns.length - 1)}${rows}"/>`
  yield `</sheetData>${filter}${all && `<hyperlinks>${all}</hyperlinks>`}</worksheet>`
}

function rowOf(columns: readonly SheetColumn[], record: unknown, row: number, links: Link[]): string {
  if (row > mostRows) throw new UsageError(`a spreadsheet takes ${mostRows - 1} records; export to .csv`)
  const cells = columns.map((column) => cellText(column, row, cellOf(record, column.field), links))
  return `<row r="${row}">${cells.join('')}</row>`
}

/** What comes before the rows of a sheet, and their header. */
function headOf(columns: readonly SheetColumn[], records: readonly unknown[]): string {
  const headers = headersOf(columns.map(({ field }) => field))
  const widths = columns.map((column, index) => {
    const most = shortNameOf(column.field) === 'text' ? widest.text : widest.other
    // Beside a header is the button of its filter.
    let width = widthOf(headers[index] ?? '') + 4
    for (const record of records) {
      if (width >= most) break
      width = Math.max(width, roomOf(column, cellOf(record, column.field)))
    }
    return `<col min="${index + 1}" max="${index + 1}" width="${Math.min(width, most)}" customWidth="1"/>`
  })
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
  const titles = columns.map(({ letters }, index) =>
    textCell(`${letters}1`, headers[index] ?? '', styles.header),
  )
  return `${declaration}<worksheet xmlns="${main}" xmlns:r="${relations}"><sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews><cols>${widths.join('')}</cols><sheetData><row r="1">${titles.join('')}</row>`
}

/** How wide a value is. */
function roomOf({ isTime, isCount }: SheetColumn, value: ReturnType<typeof cellOf>): number {
  if (value === null) return 0
  if (isTime) return '2026-11-20 18:00:00'.length + 1
  return widthOf(isCount ? value.toLocaleString('en') : String(value)) + 1
}

function cellText(
  { letters, isTime, isCount }: SheetColumn,
  row: number,
  value: ReturnType<typeof cellOf>,
  links: Link[],
): string {
  if (value === null || value === '') return ''
  const name = letters + String(row)
  if (typeof value === 'boolean') return `<c r="${name}" t="b"><v>${Number(value)}</v></c>`
  if (typeof value === 'number') {
    const style = isCount && Number.isInteger(value) ? ` s="${styles.count}"` : ''
    return `<c r="${name}"${style}><v>${value}</v></c>`
  }
  const time = isTime ? parseTime(value) : NaN
  // A spreadsheet has no times before 1900.
  if (time > -epoch * day) return `<c r="${name}" s="${styles.time}"><v>${time / day + epoch}</v></c>`
  const link = links.length < mostLinks ? linkOf(value) : undefined
  if (link !== undefined) links.push({ cell: name, address: link })
  return textCell(name, value, link === undefined ? styles.text : styles.link)
}

/** The address of a link, as every reader takes it; undefined for other values. */
function linkOf(value: string): string | undefined {
  if (!/^https?:\/\/[^\s|]+$/.test(value)) return undefined
  const link = URL.parse(value)?.href
  return link !== undefined && link.length < 2000 ? link : undefined
}

function textCell(name: string, text: string, style: number): string {
  const cut = text.length > longestText ? `${text.slice(0, longestText - 1)}…` : text
  return `<c r="${name}" t="inlineStr" s="${style}"><is><t xml:space="preserve">${escaped(cut)}</t></is></c>`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** What {@link escaped} changes: most texts have none of it. */
const special = /[&<>"\0-\x08\v\f\x0e-\x1f\ud800-\udfff\ufffe\uffff]|_x/i

/** XML takes neither control characters nor halves of characters, and Excel reads `_x0041_` in a cell as a letter. */
function escaped(text: string): string {
  if (!special.test(text)) return text
  return xml(
    text
      .toWellFormed()
      .replaceAll(/[\0-\x08\v\f\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
      .replaceAll(/_(?=x[\da-f]{4}_)/gi, '_x005F_'),
  )
}

function xml(text: string): string {
  return text.replaceAll(/[&<>"]/g, (letter) => entities[letter] ?? '')
}

/** `A` to `Z`, then `AA`. */
function columnName(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26))
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter
}

type ZipNumber = readonly [bytes: 2 | 4, value: number]

/** Version 2.0, sizes after the data, deflated, at noon of the first day that a ZIP file knows. */
const zipFormat: readonly ZipNumber[] = [
  [2, 20],
  [2, 8],
  [2, 8],
  [2, 0x6000],
  [2, 33],
]

const sumsOf = (...sums: readonly number[]): readonly ZipNumber[] => sums.map((sum) => [4, sum] as const)

/** Makes a ZIP file piece by piece, and holds none of them. Equal parts make equal files. */
class ZipWriter {
  /** What the directory says of each part. */
  readonly #entries: Uint8Array[] = []
  #length = 0

  /** The directory. */
  end(): Uint8Array {
    const [start, directory, parts] = [this.#length, Buffer.concat(this.#entries), this.#entries.length / 3]
    const end = numbers([4, 0x06054b50], [2, 0], [2, 0], [2, parts], [2, parts])
    return Buffer.concat([directory, end, numbers([4, directory.length], [4, start], [2, 0])])
  }

  *add(name: string, texts: Iterable<string>): Generator<Uint8Array> {
    const at = this.#length
    let [crc, packed, size] = [0, 0, 0]
    // The checksum and the sizes come after the data.
    const start = numbers([4, 0x04034b50], ...zipFormat, ...sumsOf(0, 0, 0), [2, name.length], [2, 0])
    yield this.#counted([start, Buffer.from(name)])
    const pack = (text: string, finishFlush: number): Uint8Array => {
      const [bytes, piece] = [Buffer.from(text), deflateRawSync(text, { finishFlush })]
      crc = crc32(bytes, crc)
      packed += piece.length
      size += bytes.length
      return piece
    }
    // Pieces are packed each by itself, so that they can be joined.
    for (const text of texts) yield this.#counted([pack(text, constants.Z_SYNC_FLUSH)])
    const last = pack('', constants.Z_FINISH)
    const sums = sumsOf(crc, packed, size)
    yield this.#counted([last, numbers([4, 0x08074b50], ...sums)])
    this.#entries.push(
      numbers([4, 0x02014b50], [2, 20], ...zipFormat, ...sums, [2, name.length], [2, 0]),
      numbers([2, 0], [2, 0], [2, 0], [4, 0], [4, at]),
      Buffer.from(name),
    )
  }

  #counted(pieces: readonly Uint8Array[]): Uint8Array {
    const bytes = Buffer.concat(pieces)
    this.#length += bytes.length
    return bytes
  }
}

/** @throws {RangeError} for more than 4 GB. */
function numbers(...all: readonly ZipNumber[]): Uint8Array {
  const bytes = Buffer.alloc(all.reduce((sum, [width]) => sum + width, 0))
  let at = 0
  for (const [width, value] of all) at = bytes.writeUIntLE(value, at, width)
  return bytes
}
