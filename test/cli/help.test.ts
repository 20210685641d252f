import packageJson from '../../package.json' with { type: 'json' }
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { exitCodes } from '../../src/cli/command-errors.ts'
import { examplesOf } from '../../src/cli/command-flags.ts'
import { commandOf } from '../../src/cli/command-names.ts'
import { inTurn, sandbox, social, useCommand } from './command.ts'
import { sandboxFlag } from '../support/sandbox.ts'

useCommand()

describe('help', () => {
  it('has a command for each operation, which names bounds and price in its help', async () => {
    for (const command of operations.map(({ id }) => commandOf(id)))
      await inTurn([`${command} --help`, 0, `Usage: social-search ${command}`])
    const { out, code } = await social('search --help')
    expect([code, sandbox.requests.length]).toEqual([0, 0])
    const texts = [
      'Usage: social-search search [options] <query>',
      'posts per page. A smaller page costs the same (integer, 1 to 20, default 20)',
      ...['2 credits a page', 'Words:', 'Place:', 'Advanced:'],
      'Examples: social-search search typescript --category Latest',
    ]
    for (const text of texts) expect(out.replaceAll(/\s+/g, ' ')).toContain(text)
  })

  it.each(['search', 'watch'])('of %s has common flags first, and filters after them', async (name) => {
    await inTurn([`${name} --help`, 0, /Examples:[^]*Common:[^]*--budget[^]*--since[^]*--geocode/])
  })

  it('is the same for help COMMAND and COMMAND --help, and -v prints the version', async () => {
    const help = await social('help mentions')
    expect(help).toEqual({ code: 0, out: (await social('mentions --help')).out, err: '' })
    expect(help.out).toContain('set-state')
    // It is the command of a list as well.
    expect((await social('mentions --limit 3')).out).toBe((await social('mentions list --limit 3')).out)
    await inTurn(['help', 0, 'Your data:'], ['-v', 0, `${packageJson.version}\n`])
  })

  it('lists the exit codes, with the words of the docs', async () => {
    const { out } = await social('--help')
    const docs = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')
    for (const code of Object.values(exitCodes)) {
      const [, text = ''] = new RegExp(`^  ${code} +(.+)$`, 'm').exec(out) ?? []
      expect(docs).toMatch(new RegExp(`^- \\*\\*${code}\\*\\*: .*${text}`, 'm'))
    }
    expect((await social('search --help')).out).not.toContain('Exit codes')
  })

  const ofMcp = '--out --archive --confirm-above --allow --account --cost-label --per-minute'
  it.each([
    ['mcp', `--budget ${sandboxFlag} ${ofMcp}`],
    ['sandbox', '--port --per-minute --growth --now'],
  ])('of %s lists its flags, and none of other commands', async (name, flags) => {
    const { out } = await social(`${name} --help`)
    expect(out.match(/(?<=^ {2}(?:-h, )?)--[\w-]+/gm)?.join(' ')).toBe(`${flags} --help`)
  })

  it('lists only flags that matter to the command: none of credits for a free one, none of pages for a single record', async () => {
    await inTurn(
      ['mentions list --help', 0, /^(?![^]*(--budget|--per-minute))/],
      ['company --help', 0, /^(?![^]*(--limit|--all|--out) )/],
      ['technews search --help', 0, /--budget[^]*--per-minute/],
      ['watch --help', 0, /with --once,\s+--max-pages\s+is\s+the\s+limit,\s+and\s+it\s+never\s+asks/],
    )
  })

  it('has an example for each operation, which the command accepts, and which fits into 80 columns', async () => {
    await inTurn(['listeners list --help', 0, 'Example:\n  social-search listeners list\n'])
    for (const line of operations.flatMap(({ id }) => examplesOf(id))) {
      expect(`  social-search ${line}`.length).toBeLessThanOrEqual(80)
      const { err } = await social(`${line.replace('> openapi.json', '')} ${sandboxFlag}`)
      // Ids and addresses are made up, so the answer may be 404.
      expect(err, line).toMatch(/^$|^[\w-]+\.db: |not found \(404\)/)
    }
  })
})
