import type { ChildProcess } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { besides, cursors, newFile, search, undisturbed, useJobs } from './job.ts'
import { server, social } from './served-command.ts'

useJobs()

describe('--resume', () => {
  it.each([
    ['jsonl', 30],
    ['csv', 10],
  ])(
    'writes each post once, in order, to %s, when the process is killed %i times, and buys only the interrupted page again',
    async (format, times) => {
      const { text, pages } = await undisturbed(format, '--count', '5')
      const out = newFile(format)
      const args = ['--all', '--count', '5', '--out', out, '--resume']
      let kills = 0
      for (; kills < times; kills++) {
        const before = server.requests.length
        const { code } = await search(
          'typescript',
          {
            during(child) {
              // Some die while they start, most while they buy, read or write pages.
              const isEarly = kills % 10 === 0
              const timer = setInterval(() => {
                if (!isEarly && server.requests.length === before) return
                clearInterval(timer)
                setTimeout(() => child.kill('SIGKILL'), Math.random() * (isEarly ? 100 : 20))
              }, 1)
              child.on('close', () => clearInterval(timer))
            },
          },
          ...args,
        )
        if (code === 0) break
      }
      await search('typescript', {}, ...args)
      expect(readFileSync(out, 'utf8')).toBe(text)
      const bought = cursors().filter((cursor, index, all) => index === 0 || cursor !== all[index - 1])
      expect(bought).toEqual(pages)
      expect(kills).toBe(times)
      expect(besides(out)).toEqual(['.state.json'])
    },
    120_000,
  )

  it('cuts a torn last line', async () => {
    const { text } = await undisturbed()
    const out = newFile()
    await search('typescript', {}, '--max-pages', '2', '--out', out)
    appendFileSync(out, '{"id":"1","bo')
    expect((await search('typescript', {}, '--all', '--out', out, '--resume')).code).toBe(0)
    expect(readFileSync(out, 'utf8')).toBe(text)
  })

  it('buys nothing after the last page', async () => {
    const out = newFile()
    await search('typescript', {}, '--all', '--out', out)
    const before = server.requests.length
    const { code } = await search('typescript', {}, '--all', '--out', out, '--resume')
    expect([code, server.requests.length]).toEqual([0, before])
  })

  it('continues after a budget, which covers all runs together', async () => {
    const { text } = await undisturbed()
    const out = newFile()
    const first = await search('typescript', {}, '--all', '--budget', '5', '--out', out)
    expect([first.code, server.requests.length]).toEqual([5, 2])
    expect(first.err).toContain('--resume')
    expect(text.startsWith(readFileSync(out, 'utf8'))).toBe(true)
    expect((await search('typescript', {}, '--all', '--budget', '5', '--out', out, '--resume')).code).toBe(5)
    expect(server.requests).toHaveLength(2)
    expect((await search('typescript', {}, '--all', '--out', out, '--resume')).code).toBe(0)
    expect(readFileSync(out, 'utf8')).toBe(text)
  })

  it('keeps its budget over all runs, also if they lose answers or are killed at any moment', async () => {
    const out = newFile()
    const args = ['--all', '--count', '5', '--budget', '50', '--out', out, '--resume']
    const stored = (): number =>
      existsSync(`${out}.state.json`)
        ? (JSON.parse(readFileSync(`${out}.state.json`, 'utf8')) as { credits: number }).credits
        : 0
    let code: number | null = null
    for (let runs = 0; runs < 50 && code !== 5; runs++) {
      const before = server.requests.length
      const isKilled = runs % 3 > 0
      if (!isKilled) server.inject({ reset: 'after', skip: 1 })
      const during = (child: ChildProcess): void => {
        const pages = Math.floor(Math.random() * 3)
        const timer = setInterval(() => {
          if (server.requests.length < before + pages) return
          clearInterval(timer)
          setTimeout(() => child.kill('SIGKILL'), Math.random() * (pages === 0 ? 150 : 20))
        }, 1)
        child.on('close', () => clearInterval(timer))
      }
      const options = isKilled ? { during } : {}
      ;({ code } = await search('typescript', options, ...args))
      expect(server.ledger.spent).toBeLessThanOrEqual(stored())
      expect(stored()).toBeLessThanOrEqual(50)
    }
    expect([code, stored()]).toEqual([5, 50])
  })

  it('finishes and writes the page under way on Ctrl-C, and says how to continue', async () => {
    const { text } = await undisturbed()
    const out = newFile()
    const { code, err } = await search(
      'typescript',
      {
        during(child) {
          const timer = setInterval(() => {
            if (server.requests.length < 3) return
            clearInterval(timer)
            child.kill('SIGINT')
          }, 1)
        },
      },
      '--all',
      '--out',
      out,
    )
    expect(code).toBe(130)
    expect(err).toContain('To continue: the same command with --resume')
    const lines = readFileSync(out, 'utf8').trimEnd().split('\n').length
    expect(lines).toBe(20 * server.requests.filter(({ charged }) => charged > 0).length)
    expect((await search('typescript', {}, '--all', '--out', out, '--resume')).code).toBe(0)
    expect(readFileSync(out, 'utf8')).toBe(text)
  })

  it('says how to continue without a file, too', async () => {
    const { text } = await undisturbed()
    const first = await search('typescript', {}, '--all', '--budget', '5')
    const next = /--params '(.*)'/.exec(first.err)?.[1] ?? ''
    const rest = await social([
      'microblog',
      'search',
      '--all',
      '--yes',
      '--per-minute',
      'off',
      '--params',
      next,
    ])
    expect(first.out + rest.out).toBe(text)
  })

  it('says how to continue with the rest of a limit', async () => {
    server.inject({ status: 403, skip: 1 })
    const { code, out, err } = await search('typescript', {}, '--limit', '30')
    expect([code, out.trimEnd().split('\n').length]).toEqual([3, 20])
    expect(err).toMatch(/To continue: .* --limit 10 --params '/)
  })

  it.each<[string, (out: string) => void, string[], string]>([
    ['the state of another query', () => {}, ['coffee', '--resume'], 'another job: params differs'],
    ['other fields', () => {}, ['typescript', '--resume', '--fields', 'id'], 'fields differs'],
    ['an output that exists', () => {}, ['typescript'], 'pass --resume'],
    ['a missing state', (out) => rmSync(`${out}.state.json`), ['typescript', '--resume'], 'is missing'],
    [
      'an invalid state',
      (out) => writeFileSync(`${out}.state.json`, '[]'),
      ['typescript', '--resume'],
      'not the state',
    ],
    [
      'an output that was shortened',
      (out) => truncateSync(out, 10),
      ['typescript', '--resume'],
      'something else has changed it',
    ],
  ])('refuses %s, and buys nothing', async (_, change, [query = '', ...args], message) => {
    const out = newFile()
    await search('typescript', {}, '--out', out)
    change(out)
    const before = [server.requests.length, readFileSync(out, 'utf8')]
    const { code, err } = await search(query, {}, '--all', '--out', out, ...args)
    expect(err).toContain(message)
    expect([code, server.requests.length, readFileSync(out, 'utf8')]).toEqual([2, ...before])
  })
})
