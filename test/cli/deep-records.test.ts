import { rmSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { linesOf, recordsOf } from '../support/command-line.ts'
import { posts, rowsOf } from '../support/posts-database.ts'
import { between, inTurn, social, useCommand } from './command.ts'

/** Makes the service add a field that nests so deeply to the first record of each answer. */
function nest(levels: number, change = (text: string): string => text): void {
  const field = `"deep":${'['.repeat(levels)}${']'.repeat(levels)}`
  between(async (send) => {
    const response = await send()
    const text = await response.text()
    return new Response(change(text.replace(/"(posts|mentions)":\[\{/, `$&${field},`)), response)
  })
}

const content = { microblog: posts(0, 30) }

describe.each([6000, 100_000])('a record that nests %i levels deep', (levels) => {
  useCommand({ content })
  beforeEach(() => nest(levels))

  it('is printed by search with all others', async () => {
    const { code, out } = await social('search coffee')
    expect([code, linesOf(out)]).toEqual([0, expect.objectContaining({ length: 20 })])
  })

  it('is kept by watch, whose next run does not pay for the page again', async () => {
    const line = 'watch coffee --once --budget 10/day --out p.db'
    await inTurn([line, 0, '20 new posts · 2 credits'], [line, 0, '0 new posts · 0 credits'])
    expect(rowsOf('p.db', 'SELECT count(*) FROM microblog_posts WHERE record LIKE \'%["…"]%\'')).toEqual([1])
    await inTurn(['export p.db p.csv', 0, '20 rows'], ['export p.db p.jsonl', 0, '20 rows'])
  })

  it('is found and forgotten where the service documents no fields', async () => {
    await inTurn(['mentions list --out p.db', 0], ['find p.db acme --limit 1', 0])
    const [count] = rowsOf('p.db', 'SELECT count(*) FROM mentions')
    const [author] = rowsOf('p.db', "SELECT record ->> '$.author' FROM mentions")
    await inTurn([`forget p.db --author ${String(author)} --yes`, 0, 'forgotten'])
    expect(rowsOf('p.db', 'SELECT count(*) FROM mentions')).not.toEqual([count])
  })

  it('is printed when its file is gone', async () => {
    nest(levels, (text) => {
      rmSync('p.db')
      return text
    })
    const { code, err } = await social('search coffee --out p.db')
    expect([code, recordsOf(err.match(/(?<=not be written:\n)(\{.*\n)+/)?.[0] ?? '').length]).toEqual([1, 20])
  })

  it('is printed when its page is invalid', async () => {
    nest(levels, (text) => text.replace('"posts"', '"others"'))
    await inTurn(['search coffee', 4, '\nThe response:\n{"requestId":'])
  })
})
