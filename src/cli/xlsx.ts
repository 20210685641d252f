import { constants, crc32, deflateRawSync } from 'node:zlib'
import { cellOf } from '../extensions/export/fields.ts'
import { parseTime } from '../lib/time.ts'
import { headersOf, inReadingOrder, isTime, labelOf, shortNameOf } from './columns.ts'
import { UsageError } from './command-errors.ts'

/** What Excel takes. */
const mostRows = 1_048_576
const mostLinks = 65_530
const longestText = 32_767
const longestName = 31

/** How wide columns are, in characters: those of texts, and others. Longer texts have several lines, for which programs make room. */
const widths = { text: 80, other: 20 }

/** Days from the first day of a spreadsheet to 1970. */
const epoch = 25_569
const day = 86_400_000

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** The styles of cells, by their places in the list of formats below. */
const styles = { header: 1, time: 2, link: 3, text: 4 } as const

/** Unstyled cells have the first font and the first format. A long text has several lines, which begin at the top. */
const styleSheet = `<styleSheet xmlns="${main}">
<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>
<fonts count="3">
<font><sz val="11"/><name val="Calibri"/></font>
<font><b/><sz val="11"/><name val="Calibri"/></font>
<font><u/><sz val="11"/><color rgb="FF0563C1"/><name val="Calibri"/></font>
</fonts>
<fills count="1"><fill><patternFill/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>
<cellXfs count="5">
<xf applyAlignment="1"><alignment vertical="top"/></xf>
<xf fontId="1" applyFont="1" applyAlignment="1"><alignment vertical="top"/></xf>
<xf numFmtId="164" applyNumberFormat="1" applyAlignment="1"><alignment vertical="top"/></xf>
<xf fontId="2" applyFont="1" applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>
<xf applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>
</cellXfs></styleSheet>`

const contentTypes = `<Types xmlns="${packages}/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="${spreadsheet}.worksheet+xml"/>
<Override PartName="/xl/workbook.xml" ContentType="${spreadsheet}.sheet.main+xml"/>
<Override PartName="/xl/styles.xml" ContentType="${spreadsheet}.styles+xml"/></Types>`

/** What a file leads to. Each has the id `rId1`, `rId2` and so on. */
function relationsOf(targets: readonly (readonly [kind: string, target: string])[], mode = ''): string {
  const all = targets.map(
    ([kind, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${relations}/${kind}" Target="${xml(target)}"${mode}/>`,
  )
  return `<Relationships xmlns="${packages}/relationships">${all.join('')}</Relationships>`
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
export function workbookOf(sheets: readonly Sheet[]): Generator<Uint8Array> {
  return zipOf(partsOf(sheets))
}

/** The files in a workbook. The links of a sheet are known once it is written. */
function* partsOf(sheets: readonly Sheet[]): Generator<Part> {
  const files = sheets.map((_, index) => ['worksheet', `worksheets/sheet${index + 1}.xml`] as const)
  const names = sheetNames(sheets).map(
    (name, index) => `<sheet name="${xml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`,
  )
  const workbook = `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${names.join('')}</sheets></workbook>`
  yield ['[Content_Types].xml', [contentTypes]]
  yield ['_rels/.rels', [relationsOf([['officeDocument', 'xl/workbook.xml']])]]
  yield ['xl/workbook.xml', [workbook]]
  yield ['xl/_rels/workbook.xml.rels', [relationsOf([...files, ['styles', 'styles.xml']])]]
  yield ['xl/styles.xml', [styleSheet]]
  for (const [index, sheet] of sheets.entries()) {
    const links: Links = new Map()
    yield [`xl/worksheets/sheet${index + 1}.xml`, textsOf(sheet, links)]
    if (links.size === 0) continue
    const targets = [...links.values()].map((address) => ['hyperlink', address] as const)
    yield [`xl/worksheets/_rels/sheet${index + 1}.xml.rels`, [relationsOf(targets, ' TargetMode="External"')]]
  }
}

/** Names as Excel takes them: short, without some signs, none of its own, and each once. */
function sheetNames(sheets: readonly Sheet[]): string[] {
  const taken = new Set(['', 'history'])
  return sheets.map(({ name }, index) => {
    const label = labelOf(name).replaceAll(/[\[\]:*?/\\\p{Cc}]/gu, ' ')
    const start = label
      .slice(0, longestName)
      .toWellFormed()
      .replaceAll(/^[\s']+|[\s']+$/g, '')
    const unique = taken.has(start.toLowerCase()) ? `Table ${index + 1}` : start
    taken.add(unique.toLowerCase())
    return unique
  })
}

/** Addresses, by the cells that lead to them. */
type Links = Map<string, string>

/** @param links Those of its cells are added. */
function* textsOf(sheet: Sheet, links: Links): Generator<string> {
  const fields = inReadingOrder(sheet.fields)
  const titles = headersOf(fields).map((title, index) =>
    textCell(`${columnName(index)}1`, title, styles.header),
  )
  const columns = fields.map((field, index) => {
    const width = shortNameOf(field) === 'text' ? widths.text : widths.other
    return `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`
  })
  yield `<worksheet xmlns="${main}" xmlns:r="${relations}">
<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>
<cols>${columns.join('')}</cols><sheetData><row r="1">${titles.join('')}</row>`
  let row = 1
  for (const records of sheet.parts())
    yield records.map((record) => rowText(fields, record, ++row, links)).join('')
  const targets = [...links.keys()].map((cell, index) => `<hyperlink ref="${cell}" r:id="rId${index + 1}"/>`)
  yield `</sheetData><autoFilter ref="A1:${columnName(fields.length - 1)}${row}"/>`
  yield `${targets.length > 0 ? `<hyperlinks>${targets.join('')}</hyperlinks>` : ''}</worksheet>`
}

function rowText(fields: readonly string[], record: unknown, row: number, links: Links): string {
  if (row > mostRows) throw new UsageError(`a spreadsheet takes ${mostRows - 1} records; export to .csv`)
  const cells = fields.map((field, index) => cellText(`${columnName(index)}${row}`, field, record, links))
  return `<row r="${row}">${cells.join('')}</row>`
}

function cellText(name: string, field: string, record: unknown, links: Links): string {
  const value = cellOf(record, field)
  if (value === null || value === '') return ''
  if (typeof value === 'boolean') return `<c r="${name}" t="b"><v>${Number(value)}</v></c>`
  if (typeof value === 'number') return `<c r="${name}"><v>${value}</v></c>`
  const time = isTime(field) ? parseTime(value) : NaN
  // A spreadsheet has no times before 1900.
  if (time > -epoch * day) return `<c r="${name}" s="${styles.time}"><v>${time / day + epoch}</v></c>`
  const address = links.size < mostLinks ? linkOf(value) : undefined
  if (address === undefined) return textCell(name, value, styles.text)
  links.set(name, address)
  return textCell(name, value, styles.link)
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

/** A file in a ZIP file. */
type Part = readonly [name: string, texts: Iterable<string>]

/** Version 2.0, sizes after the data, deflated, at noon of the first day that a ZIP file knows. */
const zipFormat = [20, 8, 8, 0x6000, 33] as const

/** Makes a ZIP file piece by piece, and holds none of them. Equal parts make equal files. */
function* zipOf(parts: Iterable<Part>): Generator<Uint8Array> {
  const directory: Uint8Array[] = []
  let [at, count] = [0, 0]
  const placed = (...pieces: readonly Uint8Array[]): Uint8Array => {
    const bytes = Buffer.concat(pieces)
    at += bytes.length
    return bytes
  }
  for (const [name, texts] of parts) {
    const start = at
    let [crc, packed, size] = [0, 0, 0]
    const pack = (text: string, finishFlush: number): Uint8Array => {
      const [bytes, piece] = [Buffer.from(text), deflateRawSync(text, { finishFlush })]
      crc = crc32(bytes, crc)
      packed += piece.length
      size += bytes.length
      return piece
    }
    // The checksum and the sizes come after the data.
    yield placed(
      long(0x04034b50),
      short(...zipFormat),
      long(0, 0, 0),
      short(name.length, 0),
      Buffer.from(name),
    )
    // Pieces are packed each by itself, so that they can be joined.
    yield placed(pack(declaration, constants.Z_SYNC_FLUSH))
    for (const text of texts) yield placed(pack(text, constants.Z_SYNC_FLUSH))
    yield placed(pack('', constants.Z_FINISH), long(0x08074b50, crc, packed, size))
    directory.push(long(0x02014b50), short(20, ...zipFormat), long(crc, packed, size))
    directory.push(short(name.length, 0, 0, 0, 0), long(0, start), Buffer.from(name))
    count++
  }
  const [start, { length }] = [at, Buffer.concat(directory)]
  yield Buffer.concat([
    ...directory,
    long(0x06054b50),
    short(0, 0, count, count),
    long(length, start),
    short(0),
  ])
}

/** @throws {RangeError} for more than 4 GB. */
function long(...values: readonly number[]): Uint8Array {
  return numbers(4, values)
}

function short(...values: readonly number[]): Uint8Array {
  return numbers(2, values)
}

function numbers(width: 2 | 4, values: readonly number[]): Uint8Array {
  const bytes = Buffer.alloc(width * values.length)
  for (const [index, value] of values.entries()) bytes.writeUIntLE(value, index * width, width)
  return bytes
}
