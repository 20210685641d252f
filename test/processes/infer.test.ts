import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from './command.ts'
import { command, server, social, useCommand } from './served-command.ts'

useCommand()

describe('quote', () => {
  it('prints the most that a job can cost and how long it takes at least, without an account', async () => {
    const { out, code } = await run(command, ['quote', 'microblog.search', '--max-pages', '50'])
    expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ atMost: 100, duration: 120_000 })])
    expect((await run(command, ['quote', 'microblog', 'search', '--pages', '50'])).out).toBe(out)
    expect((await run(command, ['quote', 'microblog search', '--pages', '50'])).out).toBe(out)
    const comments = ['quote', 'professionalnet posts comments', '--params', '{"maxComments":500}']
    expect(JSON.parse((await run(command, comments)).out)).toMatchObject({ atMost: 500 })
    const slow = ['quote', 'microblog.search', '--max-pages', '50', '--per-minute', '5']
    expect(JSON.parse((await run(command, slow)).out)).toMatchObject({ duration: 540_000 })
  })

  it('says what is not known of --all', async () => {
    const { out } = await run(command, ['quote', 'microblog.search', '--all'])
    expect(JSON.parse(out)).toEqual({
      ...{ atMost: null, perPage: 2, duration: null },
      why: '2 credits a page; how many pages there are is not known',
    })
    const free = ['quote', 'mentions.list', '--all']
    expect(JSON.parse((await run(command, free)).out)).toMatchObject({ atMost: 0, duration: null })
  })

  it.each([
    [['microblog.find'], 'unknown operation'],
    [['microblog.search', '--max-pages', '0'], '--max-pages must be a whole number'],
    [['microblog.search', '--all', '--max-pages', '5'], 'contradict each other'],
    [['microblog.search', '--pages', '5', '--max-pages', '5'], 'contradict each other'],
    [['professionalnet.company.get', '--all'], 'has no pages; leave out --all'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await run(command, ['quote', ...args])
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
  })
})

describe('infer', () => {
  it('writes a schema that accepts the records, and its type', async () => {
    const file = join(command.folder, 'mentions.ts')
    const { code, err } = await social(['infer', 'mentions.list', '--out', file])
    expect([code, err]).toEqual([0, ''])
    const source = readFileSync(file, 'utf8')
    expect(source).toMatch(/^\/\/ Inferred by `social-search infer mentions list` from 20 records\.\n/)
    expect(source).toContain('export type Mention = z.infer<typeof mention>\n')
    // The source without types is JavaScript.
    const script = join(process.cwd(), 'node_modules/.inferred-mentions.mjs')
    writeFileSync(script, source.replace(/export type .*/, ''))
    try {
      const { mention } = (await import(/* @vite-ignore */ script)) as {
        mention: { parse(value: unknown): unknown }
      }
      const records = (await social(['mentions', 'list', '--all'])).out.trimEnd().split('\n')
      for (const record of records) expect(mention.parse(JSON.parse(record))).toEqual(JSON.parse(record))
      expect(() => mention.parse({ id: 1 })).toThrow()
    } finally {
      rmSync(script)
    }
  })

  it('replaces no file without --force, and sends nothing then', async () => {
    const file = join(command.folder, 'mine.ts')
    writeFileSync(file, 'mine')
    const args = ['infer', 'mentions', 'list', '--out', file]
    const refused = await social(args)
    expect([refused.code, refused.err, server.requests.length]).toEqual([
      2,
      expect.stringContaining('pass --force'),
      0,
    ])
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect((await social([...args, '--force'])).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain('z.looseObject')
  })

  it('names the cost of a paid operation and sends nothing without a budget', async () => {
    const args = ['infer', 'technews.search', '--params', '{"query":"rust"}', '--pages', '2']
    const { code, err } = await social(args)
    expect([code, err, server.requests.length]).toEqual([
      2,
      'social-search: at most 4 credits: 2 credits a page for 2 pages; pass --budget to agree\n',
      0,
    ])
    expect((await social([...args, '--budget', '4'])).out).toContain('export const post = z.looseObject({')
    expect([server.requests.length, server.ledger.spent]).toEqual([2, 4])
  })

  it('refuses an operation whose shape is documented', async () => {
    const { code, err } = await social(['infer', 'microblog search'])
    expect([code, err]).toEqual([2, expect.stringContaining('microblog.search is documented')])
  })
})
