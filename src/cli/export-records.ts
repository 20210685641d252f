import { extname } from 'node:path'
import { csvLines } from '../extensions/export/csv.ts'
import { jsonOf } from '../extensions/export/fields.ts'
import { count } from '../lib/count.ts'
import { UsageError } from './command-errors.ts'
import { inTransaction } from '../lib/sqlite-file.ts'
import { type Source, SourceReader, assertHasOrder, sourcesIn } from './database/export-sources.ts'
import { type OpenDatabase, lockForRun, untilFree, withRecords } from './database/open-database.ts'
import { tableIsMissing } from './database/tables.ts'
import { InterruptHandler } from './interrupt-handler.ts'
import { say } from './terminal.ts'
import { writeWhole } from './whole-file.ts'

interface ExportFlags {
  readonly table?: string
  readonly new?: boolean
  readonly overwrite?: boolean
}

/** Makes a file of the records in a database. */
export async function exportRecords(from: string, to: string, flags: ExportFlags): Promise<void> {
  const interrupt = new InterruptHandler(`stopped; there is no new ${to}`)
  const { signal } = interrupt
  interrupt.start()
  try {
    const read = await withRecords(from, 'export', (file) => exportTo(to, file, flags, signal), { signal })
    say(`${to}: ${read.map((each) => rowsText(each, read.length > 1)).join(', ')}`)
  } finally {
    interrupt.end()
  }
}

/** @returns what it has exported. */
async function exportTo(
  to: string,
  file: OpenDatabase,
  flags: ExportFlags,
  signal: AbortSignal,
): Promise<readonly SourceReader[]> {
  const { path, database } = file
  const format = fileFormatOf(to)
  const isNew = flags.new === true
  const sources = chosenFrom(await file.run(() => sourcesIn(database)), format, flags)
  // Two exports at once would have the same rows.
  const lock = isNew ? lockForRun(path, sources.map(({ name }) => `.export.${name}`).sort()) : undefined
  try {
    // From here on, no program can keep a connection from reading, and it reads what there is at this moment.
    database.exec('BEGIN')
    await file.run(() => database.prepare('SELECT 1 FROM sqlite_master').get())
    const readers = sources.map((source) => new SourceReader(database, source, isNew))
    const filled = readers.filter(({ hasRows }) => hasRows)
    const read = filled.length > 0 ? filled : readers.slice(0, 1)
    const empty = format === '.jsonl' ? undefined : read.find(({ fields }) => fields.length === 0)
    if (empty !== undefined) throw new UsageError(`${empty.name} has no columns yet; export to .jsonl`)
    const bytes = await bytesOf(format, read)
    const options = { mayReplace: flags.overwrite === true, signal }
    await writeWhole(to, bytes, options, async (place) => {
      if (!isNew) {
        place()
        return
      }
      database.exec('COMMIT')
      const settle = (): void => {
        for (const reader of read) reader.noteExported()
        // If a crash comes after it, rows come twice, but none is lost.
        place()
      }
      await file.run(() => inTransaction(database, settle, 'EXCLUSIVE'), untilFree)
    })
    return read
  } finally {
    lock?.release()
  }
}

const formats = ['.csv', '.jsonl', '.xlsx'] as const
type Format = (typeof formats)[number]

function fileFormatOf(path: string): Format {
  const ending = extname(path).toLowerCase()
  const format = formats.find((each) => each === ending)
  if (format !== undefined) return format
  throw new UsageError(`export makes a file that ends in .csv, .xlsx or .jsonl, got ${path}`)
}

/** A workbook has a sheet for each table and view; other files have one of them. */
function chosenFrom(
  all: readonly Source[],
  format: Format,
  { table, new: isNew }: ExportFlags,
): readonly Source[] {
  const records = all.filter(({ kind }) => kind === 'records')
  const [named] = all.filter(({ name }) => name === table)
  if (named !== undefined) {
    if (isNew === true) assertHasOrder(named)
    return [named]
  }
  const shown = all.filter(({ kind }) => kind !== 'runs')
  if (table === undefined && format === '.xlsx') return isNew === true ? records : shown
  if (table === undefined && records.length === 1) return records
  throw tableIsMissing(shown.map(({ name }) => name))
}

async function bytesOf(format: Format, readers: readonly SourceReader[]): Promise<Iterable<Uint8Array>> {
  const [reader] = readers
  if (format !== '.xlsx') return reader === undefined ? [] : linesOf(format, reader)
  // Nobody else needs it.
  const { workbookOf } = await import('./xlsx.ts')
  return workbookOf(readers)
}

function* linesOf(format: Format, reader: SourceReader): Generator<Uint8Array> {
  const csv = format === '.csv' ? csvLines({ fields: reader.fields }) : undefined
  const line = csv?.line ?? ((record: unknown) => `${jsonOf(record)}\n`)
  yield Buffer.from(csv?.header ?? '')
  for (const part of reader.parts()) yield Buffer.from(part.map(line).join(''))
}

function rowsText({ name, rows }: SourceReader, isNamed: boolean): string {
  return `${isNamed ? `${name} ` : ''}${count(rows, 'row')}`
}
