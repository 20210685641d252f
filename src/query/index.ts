export * from './search-options.ts'
