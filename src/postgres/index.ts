export { type PostgresClient, type PostgresPool, type PostgresStoreOptions, postgresStore } from './store.ts'
