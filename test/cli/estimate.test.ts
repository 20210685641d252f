import { existsSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { microblogSearch } from '../../src/api/endpoints/microblog.ts'
import { RecordDatabase } from '../../src/cli/database/record-database.ts'
import { now } from '../clock/now.ts'
import { failed, recordsOf } from '../support/command-line.ts'
import { allOf } from '../support/posts-database.ts'
import { sandbox, social, useCommand } from './command.ts'
import { sandboxFlag } from '../support/sandbox.ts'

const since = new Date(now.getTime() - 3 * 86_400_000)
const options = { growth: { perHour: 30, since }, posts: 0 } as const
const search = '{"category":"Latest","query":"acme"}'
/** A watch of half a day has found 120 posts. */
const watched = [120, 43_200_000]
const state = {
  search,
  spans: [],
  pace: { at: now.getTime(), fast: [30, 10_800_000], slow: watched, watched },
}

/** Makes the database of a watch that has this state. */
async function store(state: object): Promise<void> {
  await social('watch acme --once --out posts.db')
  const file = new DatabaseSync('posts.db')
  file.prepare('UPDATE social_search_jobs SET state = ?').run(JSON.stringify(state))
  file.close()
}

describe('estimate', () => {
  useCommand(options)

  it('costs 4 credits, and none with the state of a watch', async () => {
    expect(await social('estimate acme')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^About (6[89]|7[0-3])0 posts/),
    })
    expect(sandbox.ledger.spent).toBe(4)
    await store(state)
    const before = sandbox.ledger.spent
    // The watch still runs.
    const jobs = [{ watch: 'microblog.search', params: { query: 'acme' } }]
    const running = await RecordDatabase.open('posts.db', { operation: microblogSearch, jobs })
    const { out } = await social('estimate acme --out posts.db')
    running.close()
    expect(out).toContain('About 240 posts a day (120 to 480; bursts can be more).')
    expect(out).toContain('20 credits a day: too little, the posts alone cost 24')
    expect(sandbox.ledger.spent).toBe(before)
    await store({
      ...state,
      pace: { ...state.pace, slow: [12_000, 43_200_000], watched: [12_000, 43_200_000] },
    })
    expect((await social('estimate acme --out posts.db')).out).toContain('2,000 credits a day: too little')
  })

  it('adds its cost to the file of its search', async () => {
    await social('watch acme --once --out posts.db')
    await social('estimate acme --out posts.db')
    const sql =
      "SELECT sum(credits) AS credits, sum(uncertain) AS uncertain FROM social_search_spent WHERE search = 'acme'"
    expect(allOf('posts.db', sql)).toEqual([{ credits: sandbox.ledger.spent, uncertain: 0 }])
    expect(sandbox.ledger.spent).toBeGreaterThan(2)
    // Without a file, there is none afterwards.
    await social('estimate acme --out none.db')
    expect(existsSync('none.db')).toBe(false)
  })

  it('of --sandbox is about the posts that search and watch find there', async () => {
    expect((await social(`estimate acme ${sandboxFlag}`)).out).toMatch(/^About [67]\d0 posts a day/)
    const found = recordsOf((await social(`search acme ${sandboxFlag} --category Latest --limit 60`)).out)
    const [newest, oldest] = [found.at(0), found.at(-1)].map((post) =>
      Date.parse(String(post?.['timestamp'])),
    )
    expect(Math.round((newest! - oldest!) / 60_000)).toBe(118)
    const watched = recordsOf((await social(`watch acme ${sandboxFlag} --once --max-pages 1`)).out)
    expect(watched).toHaveLength(20)
    const ids = new Set(found.map(({ id }) => id))
    expect(watched.filter(({ id }) => !ids.has(id))).toEqual([])
  })

  it('stays within --budget, and refuses filters of the other network and a file that is no database before it pays', async () => {
    expect((await social('estimate acme --budget 2')).out).toContain('One page does not tell how many a day')
    expect(sandbox.ledger.spent).toBe(2)
    expect(await social('estimate acme --budget 1')).toMatchObject({ code: 5 })
    expect(await social('estimate acme --network professionalnet --lang en')).toMatchObject({ code: 2 })
    writeFileSync('bad.db', 'a text '.repeat(1000))
    expect(await social('estimate acme --out bad.db')).toMatchObject(failed(2, 'not an SQLite database'))
    expect(sandbox.ledger.spent).toBe(2)
  })
})

describe('estimate on a terminal', () => {
  useCommand(options, ['stdin', 'stdout', 'stderr'])

  it('prints posts a day, and what budgets buy', async () => {
    const { out, err } = await social('estimate acme')
    const lines = out.split('\n')
    expect(lines[0]).toMatch(
      /^About (6[89]|7[0-3])0 posts a day \(3[4-7]0 to 1,[345]00; bursts can be more\)\.$/,
    )
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^ {2}50 credits a day: too little, the posts alone cost (6[89]|7[0-3])$/),
      expect.stringMatching(/^ {2}100 credits a day: new posts after (29|3\d) minutes on average$/),
      '  200 credits a day: new posts after 8 minutes on average',
      '',
    ])
    expect(err).toContain('This estimate cost 4 credits')
  })

  it('tells the posts of this hour alone when one page cannot tell more', async () => {
    const { out } = await social('estimate acme --network professionalnet')
    expect(out).toMatch(/^(2[6-9]|30) posts an hour now\. One page does not tell how many a day\.\n$/)
  })

  it('is what watch asks with when it has no budget', async () => {
    const { code, err } = await social('watch acme', { input: 'n\n' })
    expect(code).toBe(130)
    expect(err).toContain('200 credits a day: new posts after 8 minutes on average')
    expect(err).toMatch(/watch costs about (19|20)0 credits a day\. No --budget is set\. Continue\? \[y\/N\]/)
    expect(sandbox.ledger.spent).toBe(4)
    const several = await social('watch acme nothing --out posts.db', { input: 'n\n' })
    expect(several.err).toMatch(
      /^acme: About .*\.\nnothing: No posts found\.\n  50 credits a day: too little/m,
    )
    expect(several.err).toMatch(/watch costs about (38|39)0 credits a day\. No --budget is set/)
    const silent = await social('watch nothing --freshness 1h', { input: 'n\n' })
    expect(silent.err).toContain('No posts found.\n  5 credits a day: new posts after 4 hours on average\n')
    expect(silent.err).toContain('watch costs about 48 credits a day.')
  })
})
