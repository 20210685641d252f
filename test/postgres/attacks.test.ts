import { attackSuite } from '../shared/attacks.ts'
import { startPostgres } from './server.ts'

attackSuite('Postgres', async () => {
  const server = await startPostgres()
  return {
    ...server,
    names: ['postgres'],
    lose: () => server.run('truncate social_search_shared'),
    cut: () =>
      server.run('select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()'),
  }
})
