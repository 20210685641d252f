export { fieldsOf } from './fields.ts'
export { streamOf } from './stream-of.ts'
export { type CsvOptions, toCsv } from './csv.ts'
export { toJsonl } from './jsonl.ts'
