import { extname } from 'node:path'
import { csvLines } from '../extensions/export/streams.ts'
import { jsonOf } from '../extensions/export/fields.ts'
import { count } from '../lib/count.ts'
import { UsageError } from './command-errors.ts'
import { inTransaction } from '../lib/sqlite-file.ts'
import { type Source, sourcesIn } from './database/export-sources.ts'
import { type OpenDatabase, lockForRun, untilFree, withRecords } from './database/open-database.ts'
import { tableIsMissing } from './database/tables.ts'
import { InterruptHandler } from './interrupt-handler.ts'
import { toStderr } from './terminal.ts'
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
    toStderr(`${to}: ${read.map((each) => rowsText(each, read.length > 1)).join(', ')}`)
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
): Promise<readonly Source[]> {
  const { path, database } = file
  const format = fileFormatOf(to)
  const isNew = flags.new === true
  const sources = chosenFrom(await file.run(() => sourcesIn(database, isNew)), format, flags)
  // Two exports at once would have the same rows.
  const lock = isNew ? lockForRun(path, sources.map(({ name }) => `.export.${name}`).sort()) : undefined
  try {
    // From here on, no program can keep a connection from reading, and it reads what there is at this moment.
    database.exec('BEGIN')
    await file.run(() => database.prepare('SELECT 1 FROM sqlite_master').get())
    const filled = sources.filter(({ hasRows }) => hasRows)
    const read = filled.length > 0 ? filled : sources.slice(0, 1)
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
        for (const each of read) each.noteExported()
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
    // Nothing says which rows of others are new.
    if (isNew === true && named.kind !== 'records')
      throw new UsageError(`--new is for tables of records, and ${named.name} is another table or view`)
    return [named]
  }
  const shown = all.filter(({ kind }) => kind !== 'runs')
  if (table === undefined && format === '.xlsx') return isNew === true ? records : shown
  if (table === undefined && records.length === 1) return records
  throw tableIsMissing(shown.map(({ name }) => name))
}

async function bytesOf(format: Format, sources: readonly Source[]): Promise<Iterable<Uint8Array>> {
  const [source] = sources
  if (format !== '.xlsx') return source === undefined ? [] : linesOf(format, source)
  // Nobody else needs it.
  const { workbookOf } = await import('./xlsx.ts')
  return workbookOf(sources)
}

function* linesOf(format: Format, source: Source): Generator<Uint8Array> {
  const csv = format === '.csv' ? csvLines({ fields: source.fields }) : undefined
  const line = csv?.line ?? ((record: unknown) => `${jsonOf(record)}\n`)
  yield Buffer.from(csv?.header ?? '')
  for (const part of source.parts()) yield Buffer.from(part.map(line).join(''))
}

function rowsText({ name, rows }: Source, isNamed: boolean): string {
  return `${isNamed ? `${name} ` : ''}${count(rows, 'row')}`
}
