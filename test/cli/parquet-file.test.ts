import { afterAll, expect, it, vi } from 'vitest'
import { microblogSearch } from '../../src/api/microblog.ts'
import { ParquetFile } from '../../src/cli/parquet-file.ts'

vi.mock('hyparquet-writer', () => {
  throw new Error('not found')
})
afterAll(() => {
  vi.doUnmock('hyparquet-writer')
  vi.resetModules()
})

it('ParquetFile.create() names the package that it needs when it is missing', async () => {
  const params = { query: 'a' }
  const state = {
    ...{ operation: 'microblog.search', params, format: 'parquet', fields: null },
    ...{ next: params, bytes: 0, records: 0, credits: 0 },
  }
  await expect(ParquetFile.create('posts.parquet', state, microblogSearch, true)).rejects.toThrow(
    'npm install hyparquet-writer',
  )
})
