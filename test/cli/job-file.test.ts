import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../../src/cli/command-errors.ts'
import { JobFile } from '../../src/cli/job-file.ts'
import type { JobState } from '../../src/cli/job-output.ts'
import { newFolder } from '../support/folder.ts'

const folder = newFolder()

const start: JobState = {
  ...{ operation: 'microblog.search', params: { query: 'a' }, format: 'jsonl', fields: null },
  ...{ next: { query: 'a' }, bytes: 0, records: 0, credits: 0 },
}
let files = 0

/** A job with one written page, whose process is gone. */
function interrupted(): string {
  const out = join(folder, `posts-${++files}.jsonl`)
  const job = new JobFile(out, start)
  job.append('first\n', { next: { query: 'a' }, records: 1, credits: 2 })
  job.close(2)
  return out
}

describe('new JobFile() with resume', () => {
  it('cuts off an incomplete page that is longer than what follows', () => {
    const out = interrupted()
    appendFileSync(out, `${'torn '.repeat(1000)}\n`)
    const job = new JobFile(out, start, { resume: true })
    expect(readFileSync(out, 'utf8')).toBe('first\n')
    job.append('last\n', { next: null, records: 2, credits: 4 })
    job.close(4)
    expect(readFileSync(out, 'utf8')).toBe('first\nlast\n')
  })

  it.each(['"2"', 'null', '{}'])('refuses a state whose credits are %s', (credits) => {
    const out = interrupted()
    const state = readFileSync(`${out}.state.json`, 'utf8')
    writeFileSync(`${out}.state.json`, state.replace('"credits":2', `"credits":${credits}`))
    expect(() => new JobFile(out, start, { resume: true })).toThrow(UsageError)
  })
})

describe('JobFile.close()', () => {
  it('keeps what all runs have cost, and the pages', () => {
    const out = interrupted()
    new JobFile(out, start, { resume: true }).close(6)
    expect(new JobFile(out, start, { resume: true }).state).toMatchObject({
      bytes: 6,
      records: 1,
      credits: 6,
    })
  })
})
