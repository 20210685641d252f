import { constants, crc32, deflateRawSync } from 'node:zlib'
import { cellOf } from '../extensions/export/fields.ts'
import { parseTime } from '../lib/time.ts'
import { UsageError } from './command-errors.ts'

/** What Excel takes. */
const mostRows = 1_048_576
const mostLinks = 65_530
const longestText = 32_767

/** Days from the first day of a spreadsheet to 1970. */
const epoch = 25_569
const day = 86_400_000

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packages = 'http://schemas.openxmlformats.org/package/2006'
const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Without a name, a font is another one than that of unstyled cells. */
function fontOf(style = '', color = ''): string {
  return `<font>${style}<sz val="11"/>${color}<name val="Calibri"/></font>`
}

/** All parts but the sheet: a bold header, and times, as styles 1 and 2. */
const parts: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${spreadsheet}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${spreadsheet}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${spreadsheet}.styles+xml"/></Types>`,
  '_rels/.rels': relationsOf([['officeDocument', 'xl/workbook.xml']]),
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="Records" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': relationsOf([
    ['worksheet', 'worksheets/sheet1.xml'],
    ['styles', 'styles.xml'],
  ]),
  'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="3">${fontOf()}${fontOf('<b/>')}${fontOf('<u/>', '<color rgb="FF0563C1"/>')}</fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="4"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="164" applyNumberFormat="1"/><xf fontId="2" applyFont="1"/></cellXfs></styleSheet>`,
}

function relationsOf(targets: readonly (readonly [kind: string, target: string, mode?: string])[]): string {
  const all = targets.map(
    ([kind, target, mode = ''], index) =>
      `<Relationship Id="rId${index + 1}" Type="${relations}/${kind}" Target="${target}"${mode}/>`,
  )
  return `<Relationships xmlns="${packages}/relationships">${all.join('')}</Relationships>`
}

/** Fields of a spreadsheet that are not like the others. */
interface XlsxFields {
  /** The one that needs most room. */
  readonly wide: string | undefined
  /** Those with times. A text of another one may look like a time, and go on after it. */
  readonly times: readonly (string | undefined)[]
}

/**
 * A stream that turns records into a spreadsheet: texts, also ids, as texts, which are never formulas, times (in UTC) as times,
 * and links as links.
 *
 * @throws {UsageError} for more records than a spreadsheet takes.
 */
export function toXlsx(
  fields: readonly string[],
  { wide, times }: XlsxFields,
): TransformStream<unknown, Uint8Array> {
  const links: (readonly [cell: string, address: string])[] = []
  const sheet = 'xl/worksheets/sheet1.xml'
  let zip: ZipWriter
  let rows = 1
  let pending = ''
  const write = (text: string, isLast = false): void => {
    pending += text
    if (pending.length < 262_144 && !isLast) return
    zip.add(sheet, pending, isLast)
    pending = ''
  }
  return new TransformStream<unknown, Uint8Array>({
    start(controller) {
      zip = new ZipWriter((bytes) => controller.enqueue(bytes))
      for (const [name, text] of Object.entries(parts)) zip.add(name, declaration + text)
      const widths = fields.map(
        (field, index) =>
          `<col min="${index + 1}" max="${index + 1}" width="${field === wide ? 80 : 20}" customWidth="1"/>`,
      )
      const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
      write(
        `${declaration}<worksheet xmlns="${main}" xmlns:r="${relations}"><sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews><cols>${widths.join('')}</cols><sheetData>`,
      )
      write(
        `<row r="1">${fields.map((field, index) => textCell(`${columnName(index)}1`, field, 1)).join('')}</row>`,
      )
    },
    transform(record) {
      if (++rows > mostRows)
        throw new UsageError(`a spreadsheet takes ${mostRows - 1} records; export to .csv`)
      const cells = fields.map((field, index) => {
        const [name, value] = [`${columnName(index)}${rows}`, cellOf(record, field)]
        const link = links.length < mostLinks ? linkOf(value) : undefined
        if (link !== undefined) links.push([name, link])
        const time = times.includes(field) ? parseTime(value) : NaN
        return cellText(name, value, time, link !== undefined)
      })
      write(`<row r="${rows}">${cells.join('')}</row>`)
    },
    flush() {
      const all = links.map(([cell], index) => `<hyperlink ref="${cell}" r:id="rId${index + 1}"/>`).join('')
      const filter = `<autoFilter ref="A1:${columnName(fields.length - 1)}${rows}"/>`
      write(`</sheetData>${filter}${all === '' ? '' : `<hyperlinks>${all}</hyperlinks>`}</worksheet>`, true)
      if (links.length > 0) {
        const targets = links.map(([, link]) => ['hyperlink', xml(link), ' TargetMode="External"'] as const)
        zip.add('xl/worksheets/_rels/sheet1.xml.rels', declaration + relationsOf(targets))
      }
      zip.end()
    },
  })
}

function cellText(
  name: string,
  value: string | number | boolean | null,
  time: number,
  isLink: boolean,
): string {
  if (value === null || value === '') return ''
  if (typeof value === 'number') return `<c r="${name}"><v>${value}</v></c>`
  if (typeof value === 'boolean') return `<c r="${name}" t="b"><v>${Number(value)}</v></c>`
  // A spreadsheet has no times before 1900.
  if (time > -epoch * day) return `<c r="${name}" s="2"><v>${time / day + epoch}</v></c>`
  return textCell(name, value, isLink ? 3 : 0)
}

/** The address of a link, as every reader takes it; undefined for other values. */
function linkOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^https?:\/\/[^\s|]+$/.test(value)) return undefined
  const link = URL.parse(value)?.href
  return link !== undefined && link.length < 2000 ? link : undefined
}

function textCell(name: string, text: string, style: number): string {
  const cut = text.length > longestText ? `${text.slice(0, longestText - 1)}…` : text
  return `<c r="${name}" t="inlineStr" s="${style}"><is><t xml:space="preserve">${escaped(cut)}</t></is></c>`
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** XML takes neither control characters nor halves of characters, and Excel reads `_x0041_` in a cell as a letter. */
function escaped(text: string): string {
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

/** A part of a ZIP file: where it begins, and what the directory says of it. */
interface ZipPart {
  readonly name: string
  readonly at: number
  crc: number
  packed: number
  size: number
}

/** Writes a ZIP file part by part, and holds none of them. Equal parts make equal files. */
class ZipWriter {
  readonly #write: (bytes: Uint8Array) => void
  readonly #parts: ZipPart[] = []
  #length = 0

  constructor(write: (bytes: Uint8Array) => void) {
    this.#write = write
  }

  /** Adds a part, or the next piece of the last one. */
  add(name: string, text: string, isLast = true): void {
    let part = this.#parts.at(-1)
    if (part?.name !== name) {
      part = { name, at: this.#length, crc: 0, packed: 0, size: 0 }
      this.#parts.push(part)
      // The checksum and the sizes come after the data.
      this.#put(
        numbers([4, 0x04034b50], ...zipFormat, [4, 0], [4, 0], [4, 0], [2, name.length], [2, 0]),
        Buffer.from(name),
      )
    }
    const bytes = Buffer.from(text)
    // Pieces are packed each by itself, so that they can be joined.
    const packed = deflateRawSync(bytes, {
      finishFlush: isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
    })
    part.crc = crc32(bytes, part.crc)
    part.packed += packed.length
    part.size += bytes.length
    this.#put(packed)
    if (isLast) this.#put(numbers([4, 0x08074b50], ...sumsOf(part)))
  }

  /** Writes the directory. */
  end(): void {
    const start = this.#length
    for (const part of this.#parts)
      this.#put(
        numbers([4, 0x02014b50], [2, 20], ...zipFormat, ...sumsOf(part), [2, part.name.length], [2, 0]),
        numbers([2, 0], [2, 0], [2, 0], [4, 0], [4, part.at]),
        Buffer.from(part.name),
      )
    const { length } = this.#parts
    const size = this.#length - start
    this.#put(
      numbers([4, 0x06054b50], [2, 0], [2, 0], [2, length], [2, length], [4, size], [4, start], [2, 0]),
    )
  }

  #put(...all: readonly Uint8Array[]): void {
    for (const bytes of all) {
      this.#length += bytes.length
      this.#write(bytes)
    }
  }
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

function sumsOf({ crc, packed, size }: ZipPart): readonly ZipNumber[] {
  return [
    [4, crc],
    [4, packed],
    [4, size],
  ]
}

/** @throws {RangeError} for more than 4 GB. */
function numbers(...all: readonly ZipNumber[]): Uint8Array {
  const bytes = Buffer.alloc(all.reduce((sum, [width]) => sum + width, 0))
  let at = 0
  for (const [width, value] of all) at = bytes.writeUIntLE(value, at, width)
  return bytes
}
