import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import Papa from 'papaparse'
import { describe, expect, it, vi } from 'vitest'
import { run } from './command.ts'
import { bodies, command, env, search, server, social, useCommand } from './served-command.ts'

useCommand()

describe('social-search', () => {
  it('accepts a choice in lower case', async () => {
    await social([...search, '--category', 'latest'])
    expect(bodies()).toEqual([{ query: 'coffee', category: 'Latest' }])
  })

  it('prints as many comments as --limit says', async () => {
    const post = JSON.parse((await social(['posts', 'coffee', '--limit', '1'])).out) as { share_url: string }
    expect(
      (await social(['comments', post.share_url, '--limit', '3'])).out.trimEnd().split('\n'),
    ).toHaveLength(3)
  })

  it('sends flags as params', async () => {
    await social([
      ...search,
      '--category',
      'Latest',
      '--lang',
      'en',
      '--hashtags',
      'a',
      'b',
      '--only-replies',
      '--count',
      '5',
    ])
    const filters = { lang: 'en', hashtags: ['a', 'b'], onlyReplies: true }
    expect(bodies()).toEqual([{ query: 'coffee', category: 'Latest', count: 5, filters }])
  })

  it('reads undocumented params as JSON, from an argument or from stdin', async () => {
    await social(['technews', 'search', '--params', '{"query":"rust"}'])
    await social(['technews', 'search', '--params', '-'], { input: '{"query":"go"}' })
    expect(bodies()).toEqual([{ query: 'rust' }, { query: 'go' }])
  })

  it('calls operations with the id of a record', async () => {
    const [mention] = (await social(['mentions', 'list'])).out
      .split('\n')
      .map((line) => line && (JSON.parse(line) as { id: string }))
    const { out, code } = await social(['mentions', 'get', Object(mention).id as string])
    expect([code, (JSON.parse(out) as { mention: unknown }).mention]).toEqual([0, mention])
    const refused = await social([
      'mentions',
      'set-state',
      Object(mention).id as string,
      '--body',
      '{"state":"done"}',
    ])
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining('mentions:write')])
  })

  it('buys one page unless a flag asks for more', async () => {
    const count = async (...flags: string[]) =>
      (await social([...search, ...flags])).out.split('\n').length - 1
    expect([await count(), await count('--limit', '30'), await count('--max-pages', '3')]).toEqual([
      20, 30, 60,
    ])
    expect(server.requests).toHaveLength(6)
  })

  it('writes only data to stdout, as JSON Lines, JSON, CSV or a table', async () => {
    const lines = await social(search)
    expect(lines.err).toBe('')
    const posts = lines.out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(JSON.parse((await social([...search, '--format', 'json'])).out)).toEqual(posts)
    const fields = ['id', 'author', 'engagements.viewsCount']
    const csv = (await social([...search, '--format', 'csv', '--fields', fields.join(',')])).out
    const rows = posts.map(({ id, author, engagements }) => [
      id,
      author,
      String(Object(engagements).viewsCount),
    ])
    expect(parse(csv)).toEqual([fields, ...rows])
    expect(Papa.parse(csv.trimEnd()).data).toEqual([fields, ...rows])
    const picked = (await social([...search, '--fields', fields.join(',')])).out.split('\n')[0] ?? ''
    expect(JSON.parse(picked)).toEqual({
      id: posts[0]?.['id'],
      author: posts[0]?.['author'],
      'engagements.viewsCount': Number(rows[0]?.[2]),
    })
    const table = (await social([...search, '--format', 'table', '--fields', 'id,author'])).out.split('\n')
    expect([table.length, table[0]]).toEqual([22, expect.stringMatching(/^id +author$/)])
  })

  it('begins CSV with a byte order mark if --bom is set, and refuses it for other formats', async () => {
    const file = join(command.folder, 'bom.csv')
    const args = [...search, '--bom', '--fields', 'id']
    const [csv, , jsonl] = await Promise.all([
      social([...args, '--format', 'csv']),
      social([...args, '--out', file]),
      social(args),
    ])
    expect(csv.out.slice(0, 4)).toBe('\ufeffid\n')
    expect(readFileSync(file, 'utf8')).toBe(csv.out)
    expect([jsonl.code, jsonl.err]).toEqual([2, expect.stringContaining('--bom needs --format csv')])
  })

  it('opens the page of the first record in the browser if --web is set, and prints the records', async () => {
    const opened = join(command.folder, 'opened')
    const bin = join(command.folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" > ${opened}.tmp && mv ${opened}.tmp ${opened}`)
    chmodSync(join(bin, 'xdg-open'), 0o755)
    const env = { PATH: `${bin}:${process.env['PATH']}` }
    const { out } = await social([...search, '--web'], { env })
    const url = (JSON.parse(out.split('\n')[0] ?? '') as { url: string }).url
    await vi.waitFor(() => expect(readFileSync(opened, 'utf8')).toBe(`${url}\n`), 5000)
    rmSync(opened)
    server.inject({
      status: 200,
      body: { requestId: 'r', mention: { id: 'men_1', url: 'file:///etc/passwd' } },
    })
    expect((await social(['mentions', 'get', 'men_1', '--web'], { env })).code).toBe(0)
    expect(() => readFileSync(opened)).toThrow('ENOENT')
  })

  it('may change the state of a mention of its sandbox', async () => {
    const [mention = ''] = (await social(['mentions', 'list', '--sandbox'])).out.split('\n')
    const { id } = JSON.parse(mention) as { id: string }
    const args = ['mentions', 'set-state', id, '--params', '{"state":"done"}', '--sandbox']
    const { code, out } = await social(args)
    expect([code, JSON.parse(out)]).toMatchObject([0, { mention: { state: 'done' } }])
  })

  it('ends quietly when its reader closes the pipe, and buys no more pages', async () => {
    const shell = spawn(
      'sh',
      ['-c', '"$0" "$@" | head -3', process.execPath, command.file, ...search, '--all', '--yes'],
      {
        env: { PATH: process.env['PATH'], ...env() },
      },
    )
    let output = ''
    for (const stream of [shell.stdout, shell.stderr])
      stream.on('data', (data: Buffer) => (output += String(data)))
    await new Promise((resolve) => shell.on('close', resolve))
    expect(output.trimEnd().split('\n')).toHaveLength(3)
    // A pipe holds several pages before `head` has ended; all pages are 25.
    expect(server.requests.length).toBeLessThan(15)
  })

  it('reports a full disk, with the page on stderr and the command that continues', async () => {
    const shell = spawn(
      'sh',
      ['-c', '"$0" "$@" >/dev/full', process.execPath, command.file, ...search, '--all', '--yes'],
      {
        env: { PATH: process.env['PATH'], ...env() },
      },
    )
    let err = ''
    shell.stderr.on('data', (data: Buffer) => (err += String(data)))
    const code = await new Promise((resolve) => shell.on('close', resolve))
    expect([code, server.requests.length]).toEqual([1, 1])
    expect(err).toMatch(
      /^social-search: ENOSPC[^]*\nTo continue: social-search microblog search --all --yes --per-minute off --params '{/,
    )
    const { posts } = JSON.parse(err.trimEnd().split('\n').at(-1) ?? '') as { posts: unknown[] }
    expect(posts).toHaveLength(20)
  })

  it('prints a command that continues with the same budget and output', async () => {
    const flags = ['--all', '--budget', '3', '--format', 'csv', '--fields', 'id,author']
    const { code, err } = await social([...search, ...flags])
    expect(code).toBe(5)
    expect(err).toMatch(
      /To continue: social-search microblog search --all --budget 3 --per-minute off --format csv --fields id,author --params '\{/,
    )
  })

  it('prints no command that continues when the service finds the request invalid', async () => {
    const { code, err } = await social([...search, '--since', 'yesterday'])
    expect([code, server.requests.length]).toEqual([4, 1])
    expect(err).not.toContain('To continue')
  })

  it('runs against a sandbox without an account', async () => {
    const { code, out } = await run(command, [...search, '--sandbox', '--limit', '2'])
    expect([code, out.split('\n').length, server.requests.length]).toEqual([0, 3, 0])
  })
})
