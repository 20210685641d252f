import { join } from 'node:path'
import { expect, it } from 'vitest'
import { linesOf } from '../support/command-line.ts'
import { rowsOf } from '../support/posts-database.ts'
import { afterRequests, command, social, useCommand } from './command.ts'

useCommand()

const watch = 'watch coffee --yes --min-interval 2'

it('watch prints new posts until Ctrl-C', async () => {
  const { code, out } = await social(watch, {
    during: (child) => child.stdout?.once('data', () => child.kill('SIGINT')),
  })
  expect([code, linesOf(out).length]).toEqual([130, 20])
})

it('watch stores the page under way at Ctrl-C, and the next run knows its posts', async () => {
  const file = join(command.folder, 'watch.db')
  for (let run = 1; run <= 2; run++) {
    const during = afterRequests(1, (child) => child.kill('SIGINT'))
    expect(await social(`${watch} --out ${file}`, { during })).toMatchObject({ code: 130, out: '' })
    expect(rowsOf(file, 'SELECT id FROM microblog_posts')).toHaveLength(20)
  }
})
