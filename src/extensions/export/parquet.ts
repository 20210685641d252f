import type * as Parquet from 'hyparquet-writer'
import { ConfigurationError } from '../../errors/index.ts'
import { type ColumnOptions, type ColumnType, type ReadyColumn, cellOf, resolveColumns } from './fields.ts'

/** Rows that are written together. More rows compress better, but take more memory. */
const groupSize = 10_000

const schemas: Record<ColumnType, Partial<Parquet.SchemaElement>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
}

/**
 * A stream that turns records into a Parquet file. Needs the package `hyparquet-writer`. A field without a type is text.
 *
 * @throws {ConfigurationError} for fields that cannot be columns. The stream fails with one for a value of another type.
 * @example
 * streamOf(client.microblog.search({ query })).pipeThrough(toParquet({ fields: fieldsOf('microblog.search') }))
 */
export function toParquet(options: ColumnOptions): TransformStream<unknown, Uint8Array> {
  const columns = resolveColumns(options)
  let rows: unknown[] = []
  let bytes: Parquet.ByteWriter
  let file: Parquet.ParquetWriter

  function writeGroup(): void {
    const columnData = columns.map((column) => ({
      name: column.path,
      data: rows.map((row) => valueFor(column, cellOf(row, column.names))),
    }))
    rows = []
    void file.write({ columnData, rowGroupSize: groupSize })
  }

  function flushed(): Uint8Array {
    const written = bytes.getBytes().slice()
    bytes.index = 0
    return written
  }

  return new TransformStream<unknown, Uint8Array>({
    async start() {
      const { ByteWriter, ParquetWriter } = await loadWriter()
      bytes = new ByteWriter()
      file = new ParquetWriter({ writer: bytes, schema: schemaOf(columns) })
    },
    transform(record, controller) {
      rows.push(record)
      if (rows.length < groupSize) return
      writeGroup()
      controller.enqueue(flushed())
    },
    flush(controller) {
      if (rows.length > 0) writeGroup()
      void file.finish()
      controller.enqueue(flushed())
    },
  })
}

/** Imports in a `try`, so that bundlers accept a missing package. */
async function loadWriter(): Promise<typeof Parquet> {
  try {
    return await import('hyparquet-writer')
  } catch {
    throw new ConfigurationError('toParquet() needs the package hyparquet-writer; install it')
  }
}

function schemaOf(columns: readonly ReadyColumn[]): Parquet.SchemaElement[] {
  const fields = columns.map(({ path, type }): Parquet.SchemaElement => ({
    name: path,
    repetition_type: 'OPTIONAL',
    ...schemas[type],
  }))
  return [{ name: 'root', num_children: fields.length }, ...fields]
}

function valueFor({ path, type }: ReadyColumn, value: string | number | boolean | null): typeof value {
  if (value === null) return null
  if (type === 'text') return String(value)
  if (typeof value === type) return value
  throw new ConfigurationError(`${path} is a ${typeof value}, and its column of type ${type}; make it text`)
}
