import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { rowsOf } from '../../support/posts-database.ts'
import { sandboxFlag } from '../../support/sandbox.ts'
import { failed } from '../../support/command-line.ts'
import { sandbox, social, useCommand } from '../command.ts'

const search = 'search tea --out posts.db --budget 20'
const commands = [
  ...[search, 'watch tea --once --out posts.db --budget 20', `mcp ${sandboxFlag} --out posts.db`],
  ...['find posts.db tea', 'describe posts.db', 'export posts.db new.csv', 'forget posts.db --id 1 --yes'],
]

describe('posts.db', () => {
  useCommand()

  it('says its format, from the first run on', async () => {
    await social(search)
    expect(rowsOf('posts.db', 'PRAGMA user_version')).toEqual([1])
  })

  it.each(
    commands.flatMap((line) => [
      [0, 'of a social-search that was never published', line] as const,
      [2, 'of a newer social-search', line] as const,
    ]),
  )('of format %i is refused, %s, and stays as it is: %s', async (format, reason, line) => {
    await social(search)
    const file = new DatabaseSync('posts.db')
    file.exec(`PRAGMA user_version = ${format}; PRAGMA journal_mode = DELETE`)
    file.close()
    const [bytes, sent] = [readFileSync('posts.db'), sandbox.requests.length]
    expect(await social(line)).toMatchObject(failed(2, `posts.db has format ${format}, ${reason}`))
    expect([readFileSync('posts.db').equals(bytes), sandbox.requests.length]).toEqual([true, sent])
  })
})
