import { expect, it } from 'vitest'
import { sandbox, social, useCommand } from '../cli/command.ts'
import { allOf } from '../support/posts-database.ts'
import { samplesOf } from './samples.ts'

const [weeks = ''] = samplesOf('docs/jobs.md', 'sql')

useCommand({ content: { microblog: [] } })

it('docs/jobs.md counts the posts of each week and query once', async () => {
  const at = (timestamp: string, body: string) => ({ timestamp, body })
  sandbox.publish({
    microblog: [
      at('2026-11-02T00:00:00Z', 'acme and globex'), // a Monday
      at('2026-11-08T23:59:59Z', 'acme'),
      at('2026-11-09T00:00:00Z', 'globex'),
    ],
  })
  for (const command of ['search', 'watch --once', 'search'])
    for (const query of ['acme', 'globex'])
      expect((await social(`${command} ${query} --budget 20 --out brands.db`)).code).toBe(0)

  const rows = allOf('brands.db', weeks)
  expect(rows.map(({ monday, search, posts }) => [monday, search, posts])).toEqual([
    ['2026-11-02', 'acme', 2],
    ['2026-11-02', 'globex', 1],
    ['2026-11-09', 'globex', 1],
  ])
})
