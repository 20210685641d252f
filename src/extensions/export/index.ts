export { fieldsOf } from './fields.ts'
export { type CsvOptions, streamOf, toCsv, toJsonl } from './streams.ts'
