import { chmodSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { keepAnswers } from '../../../src/cli/mcp.ts'
import { findRecords } from '../../../src/cli/database/find.ts'
import { change, posts, rowsOf } from '../../support/posts-database.ts'
import { inTurn, publishPost, sandbox, social, useCommand } from '../command.ts'

const own = [
  { id: '1', body: 'Café au lait, naïve C++, drink', author: 'ada', name: 'Ada Byron' },
  { id: '2', body: 'coffee and acme drink', author: 'bob', name: 'Bob' },
  { id: '3', body: '東京のカフェ coffee 100% drink', author: 'carl', name: 'Carl' },
].map((each, index) => ({ ...each, timestamp: `2025-11-0${index + 1}T10:00:00.000Z` }))

const onPosix = it.skipIf(process.platform === 'win32')

/** Works as somebody who may not write `p.db`, nor, by default, beside it. */
async function asReader<T>(work: () => Promise<T>, mode = 0o444, folderMode = 0o555): Promise<T> {
  const isRoot = process.getuid?.() === 0
  chmodSync('.', folderMode)
  chmodSync('p.db', mode)
  // root may write everything.
  if (isRoot) process.seteuid?.('nobody')
  try {
    return await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
    chmodSync('.', 0o755)
    chmodSync('p.db', 0o644)
  }
}

describe('find', () => {
  useCommand({ content: { microblog: own } })
  const ids = async (query: string, flags = '') =>
    (await social(`find p.db '${query}' --format jsonl ${flags}`)).out.match(/(?<="id":")[^"]+/g) ?? []

  it('finds records by words of the text and the author, newest first, without sending', async () => {
    await social('search drink --out p.db')
    const before = sandbox.requests.length
    expect(await ids('coffee')).toEqual(['3', '2'])
    expect(await ids('coffee', '--limit 1')).toEqual(['3'])
    expect((await social('find p.db coffee --fields id --format csv')).out).toBe('id\n3\n2\n')
    for (const query of ['cafe lait', '"au lait"', 'nai*', 'byron', 'ADA', 'C++', '@ada'])
      expect(await ids(query)).toEqual(['1'])
    for (const query of ['lait au"', '"lait au"', 'caf', '++ "', '%'])
      expect(await ids(query)).not.toContain('2')
    for (const query of ['カフェ', '東京', '100%']) expect(await ids(query)).toEqual(['3'])
    expect(await ids('00%')).toEqual([])
    await inTurn(
      ['find none.db coffee', 2, 'none.db does not exist'],
      ['find p.db coffee --table posts', 2, 'pass --table with one of microblog_posts'],
      [`find p.db '${'coffee '.repeat(900)}'`, 0, '"id":"3"'],
      [`find p.db '${'coffee '.repeat(901)}'`, 2, 'a query may have at most 900 words, got 901'],
    )
    expect(sandbox.requests).toHaveLength(before)
  })

  it('finds the words of every script, and no others', async () => {
    const texts: Readonly<Record<string, string>> = {
      ...{ heart: 'मेरा दिल टूट गया', lentils: 'आज दाल बनाई', delhi: 'दिल्ली में' },
      ...{ coffee: '오늘 커피를 마셨다', nose: '코피가 났다', brand: '맛있는 커피 한잔' },
      ...{ plain: 'هذا كتاب جديد', marked: 'قَرَأَ كِتَابًا', shin: 'שָׁלוֹם לכם', peace: 'שלום עליכם' },
      ...{ plus: 'I write C++, mostly', c: 'I write C only', sharp: 'C# for games', cpp: 'ABC++' },
      ...{ fans: '어제 BTS는 좋았다', phone: '新型iPhoneを買う', phones: 'iPhones everywhere' },
      ...{ plusses: '+ '.repeat(500), sum: 'late + delivery', tag: 'so 🔥#acme!', acme: 'acme is a word' },
      ...{ acmes: '#acmecorp', andt: 'AT&T store', at: 'at t' },
      ...{ accent: 'Cafe\u0301 Việt', stress: 'за́мок', heartEmoji: 'I ❤️ tea', kana: '新しいカフェ' },
    }
    const microblog = Object.entries(texts).map(([id, body]) => ({ id, body: `${body} . rain` }))
    sandbox.publish({ microblog: microblog.map((each) => ({ ...each, author: 'someone', name: 'Name' })) })
    await social('search rain --all --yes --out p.db')
    const found: Readonly<Record<string, string>> = {
      ...{ दिल: 'heart', दाल: 'lentils', दिल्ली: 'delhi', 'दि*': 'delhi heart' },
      ...{
        커피: 'brand coffee',
        커피를: 'coffee',
        맛있는: 'brand',
        ['커피'.normalize('NFD')]: 'brand coffee',
      },
      ...{ كتاب: 'plain', كِتَابًا: 'marked', كتابا: 'marked', قرأ: 'marked' },
      ...{ שלום: 'peace shin', שָׁלוֹם: 'peace shin' },
      ...{ 'C++': 'plus', c: 'c plus sharp', 'C#': 'sharp', 'c+': '', '"write C++"': 'plus', 'C++*': 'plus' },
      ...{ '#acme': 'tag', acme: 'acme tag', '@acme': 'acme tag', 'AT&T': 'andt', '"at t"': 'andt at' },
      ...{ café: 'accent', CAFE: 'accent', việt: 'accent', замок: 'stress' },
      ...{ '❤': 'heartEmoji', '❤️': 'heartEmoji' },
      ...{ BTS: 'fans', '"قرأ كتابا"': 'marked', '"שלום לכם"': 'shin', iPhones: 'phones' },
      ...{ '"i tea"': 'heartEmoji', カフェ: 'kana' },
      // In a text of many signs, each further sign of a query would multiply the time.
      ...{ '"late delivery"': 'sum', '"late + delivery"': 'sum', '"+ + + + x"': '', '+.+.+.+.x': '' },
    }
    const seen: Record<string, string> = {}
    for (const query of Object.keys(found)) {
      const { kinds } = await findRecords('p.db', query, { limit: 100 })
      const ids = kinds.flatMap(({ records }) => (records as { id: string }[]).map(({ id }) => id))
      seen[query] = ids.sort().join(' ')
    }
    expect(seen).toEqual(found)
  })

  onPosix('reads, as describe does, a file that its reader may not write', async () => {
    await social('search drink --out p.db')
    for (const line of ['find p.db coffee', 'describe p.db']) {
      const { code, out } = await social(line)
      expect(await asReader(() => social(line))).toMatchObject({ code, out, err: '' })
    }
    for (const folderMode of [0o555, 0o777]) {
      const keeping = asReader(() => keepAnswers('p.db', {}), 0o444, folderMode)
      await expect(keeping).rejects.toThrow('it may not be written')
    }
    await inTurn(['find ./none/../p.db coffee', 0])
    const refused = 'p.db cannot be used: it may not be written'
    await asReader(() => inTurn(['forget p.db --id 1 --yes', 1, refused]))
    // An old file has to be upgraded first.
    change('p.db', 'PRAGMA user_version = 0')
    await asReader(() => inTurn(['find p.db coffee', 1, refused]))
  })

  onPosix.each(['find p.db coffee', 'describe p.db', 'export p.db p.csv', 'forget p.db --id 1 --yes'])(
    'names a file that cannot be read, and why: %s',
    async (line) => {
      await social('search drink --out p.db')
      await asReader(() => inTurn([line, 2, 'p.db cannot be read; check who may read it']), 0)
      // A killed run has left its log, which cannot be read without another file beside it.
      writeFileSync('p.db-wal', 'a page')
      const shut = 'cannot be used: nothing can be written in its folder, and its last pages are in p.db-wal'
      await asReader(() => inTurn([line, 2, shut]))
    },
  )

  it('knows what was searched, and counts no data of the organization as a search', async () => {
    for (const line of ['search coffee', 'mentions list', 'search drink', 'search coffee'])
      await social(`${line} --out p.db`)
    const { reach } = await findRecords('p.db', 'nothing', { limit: 1 })
    expect(new Set(reach.searches)).toEqual(new Set(['coffee', 'drink']))
  })

  it('follows edits and deletions, also those of others', async () => {
    await social('search drink --out p.db')
    const edits =
      "UPDATE microblog_posts SET body = 'tea' WHERE id = '2'; DELETE FROM microblog_posts WHERE id = '3'"
    change('p.db', `${edits}; VACUUM`)
    expect([await ids('coffee'), await ids('tea')]).toEqual([[], ['2']])
  })

  it('finds records whose fields the service does not document', async () => {
    sandbox.publish({ mentions: [{ id: 'men_ours', text: 'An unusual teapot' }] })
    await social('mentions list --all --out p.db')
    for (const query of ['"unusual teapot"', '"An unusual"', 'men_ours'])
      expect(await ids(query)).toEqual(['men_ours'])
    for (const query of ['"nusual teapot"', 'teapo']) expect(await ids(query)).toEqual([])
  })
})

describe('find and describe on a terminal', () => {
  useCommand({ content: { microblog: own } }, ['stdout', 'stderr'])

  it('show what search shows, how far the file reaches, and what each search has', async () => {
    await social('watch coffee --once --out p.db')
    const { out, err } = await social('find p.db acme')
    expect(out).toMatch(/date +author +text[^]*bob +coffee and acme drink/)
    expect(err).toMatch(
      /(?<!-)1 of 2 records\np\.db reaches from 2025-11-0\d .* to 2025-11-0\d .*; last checked \d s ago/,
    )
    const described = await social('describe p.db')
    expect(described.out).toMatch(
      /search +records +gaps +credits +from +to [^]*coffee · microblog +2 +0 +2 +2025-11-0\d /,
    )
    expect(described.out).toContain('Records: microblog_posts 2')
    sandbox.publish({ microblog: posts(30, 80) })
    await social('watch coffee --once --max-pages 1 --out p.db')
    expect((await social('find p.db acme')).err).toContain('; 1 gap (see describe)\n')
  })
})

describe('describe', () => {
  useCommand({ content: { microblog: own } })

  it('tells of each search its times, authors, gaps, credits and checks, as JSON', async () => {
    await social('watch coffee --once --out p.db')
    await social('search coffee --out p.db')
    const { searches, tables } = JSON.parse((await social('describe p.db')).out)
    expect(tables).toEqual({ microblog_posts: 2 })
    const numbers = { records: 2, authors: 2, credits: 4, uncertain: 0, gaps: [] }
    const times = { from: '2025-11-02T10:00:00Z', to: '2025-11-03T10:00:00Z' }
    const checks = [{ command: 'watch', params: { query: 'coffee' } }, { command: 'search' }]
    expect(searches).toMatchObject([{ search: 'coffee', network: 'microblog', ...numbers, ...times, checks }])
  })

  it('tells what comments and reactions of the same post have cost apart', async () => {
    const url = publishPost(5, 7)
    await inTurn([`comments ${url} --yes --out p.db`, 0])
    await inTurn([`reactions --params '{"postUrl":"${url}"}' --all --yes --out p.db`, 0])
    const { searches } = JSON.parse((await social('describe p.db')).out)
    expect(searches).toMatchObject([{ credits: 5 }, { credits: 7 }])
  })
})

describe('forget', () => {
  useCommand({
    content: { microblog: [...own, ...posts(10, 15).map((each) => ({ ...each, body: 'drink' }))] },
  })
  const remaining = () => rowsOf('p.db', 'SELECT id FROM microblog_posts ORDER BY id')

  it('deletes all of an author, whom no later run brings back', async () => {
    await social('watch drink --once --out p.db --budget 20')
    await inTurn(
      ['forget p.db --author @Bob', 2, '1 record of p.db for good; pass --yes'],
      ['forget p.db --author @Bob --yes', 0, /^p\.db: 1 record forgotten/],
    )
    sandbox.publish({ microblog: [{ id: '31', body: 'acme drink again', author: 'bob' }] })
    for (const line of ['search acme', 'watch acme --once', 'search coffee'])
      await social(`${line} --out p.db --budget 20`)
    for (const table of ['microblog_posts', 'microblog_posts_counts', 'microblog_posts_found'])
      expect(rowsOf('p.db', `SELECT id FROM ${table} WHERE id IN ('2', '31')`)).toEqual([])
  })

  it('says which searches still name the author, by a word of any param', async () => {
    const url = 'https://professionalnet.example/in/bob'
    for (const line of ['drink --from-these-accounts ada Bob', "'from:@bob tea'", 'bobsled --lang en'])
      await social(`search ${line} --out p.db`)
    await social("watch 'from:@bob tea' --once --out p.db")
    await social(`professionalnet person posts --params '{"url":"${url}"}' --out p.db`)
    const named = async (author: string) =>
      / name this author: (.*)\. They stay/.exec((await social(`forget p.db ${author} --yes`)).err)?.[1]
    expect(await named('--author @Bob')).toBe(`drink, from:@bob tea, ${url}`)
    expect(await named(`--author ${url}`)).toBe(url)
    for (const flags of ['--author lang', "--author 'ada byron'", '--id 2'])
      expect(await named(flags)).toBeUndefined()
  })

  it('deletes what is old, or has an id', async () => {
    await social('search drink --all --out p.db --budget 20')
    await social('forget p.db --id 1 12 --yes')
    expect(remaining()).not.toContain('1')
    // Another program has added it.
    const values = "('own', '2025-11-01T10:00:00Z', '{}')"
    change('p.db', `INSERT INTO microblog_posts (id, timestamp, record) VALUES ${values}`)
    await social('forget p.db --older-than 1h --yes')
    sandbox.publish({ microblog: [{ id: 'own', body: 'drink' }] })
    await social('search drink --all --out p.db --budget 20')
    expect(remaining()).toEqual(['10', '11', '13', '14'])
    for (const flags of ['', '--older-than 9x', '--older-than 0d'])
      await inTurn([`forget p.db --yes ${flags}`, 2])
    await inTurn(['watch coffee --once --keep 1h', 2])
  })
})
