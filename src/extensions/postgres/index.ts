export type { PostgresClient, PostgresPool } from './notices.ts'
export { type PostgresStoreOptions, postgresStore } from './store.ts'
