import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { microblogSearch } from '../../src/api/microblog.ts'
import { RecordDatabase } from '../../src/cli/record-database.ts'
import { post } from '../support/pages.ts'
import { newFolder } from '../support/folder.ts'

const folder = newFolder()

describe('RecordDatabase.store()', () => {
  it('stores rows and progress, or neither when a record fails', async () => {
    const path = join(folder, 'posts.db')
    const job = { query: 'a' }
    const options = { operation: microblogSearch, jobs: [job], needed: [] }
    const database = await RecordDatabase.open(path, options)
    expect(database.store([post('1'), post('2'), post('1')], job, { next: { page: 2 } })).toBe(2)
    const cycle: Record<string, unknown> = post('4')
    cycle['self'] = cycle
    expect(() => database.store([post('3'), cycle], job, { next: 3 })).toThrow('JSON')
    database.close()
    const again = await RecordDatabase.open(path, options)
    expect(again.progress).toEqual([{ next: { page: 2 } }])
    again.close()
    const rows = new DatabaseSync(path).prepare('SELECT id FROM microblog_posts').all()
    expect(rows.map(({ id }) => id)).toEqual(['1', '2'])
  })
})

describe('RecordDatabase.open()', () => {
  it('makes a table for each kind of record', async () => {
    const path = join(folder, 'all.db')
    for (const operation of operations.filter((each) => 'list' in each)) {
      const database = await RecordDatabase.open(path, { operation, jobs: [{}] })
      database.store([], {}, {})
      database.close()
    }
    const names = new DatabaseSync(path)
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'social%' ORDER BY name",
      )
      .all()
    expect(names.map(({ name }) => name)).toEqual([
      'feeds',
      'listeners',
      'mentions',
      'microblog_posts',
      'professionalnet_comments',
      'professionalnet_industries',
      'professionalnet_person_comments',
      'professionalnet_person_posts',
      'professionalnet_posts',
      'professionalnet_reactions',
      'technews_posts',
    ])
  })
})
