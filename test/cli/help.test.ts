import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { operations } from '../../src/api/operations.ts'
import { commandOf } from '../../src/cli/flags.ts'
import { examplesOf } from '../../src/cli/help-texts.ts'
import { bodies, sandbox, social, useCommand } from './command.ts'

useCommand()

describe('help', () => {
  it('has a command for each operation, which names bounds and price in its help', async () => {
    for (const { id } of operations)
      expect((await social(`${commandOf(id)} --help`)).out).toContain(`Usage: social-search ${commandOf(id)}`)
    const { out, code } = await social('microblog search --help')
    expect([code, sandbox.requests.length]).toEqual([0, 0])
    const texts = [
      ...['Usage: social-search microblog search [options] <query>', 'query keywords', '"Latest"'],
      'posts per page. A smaller page costs the same (integer, 1 to 20, default 20)',
      ...['2 credits a page', '130 interrupted'],
      ...['Common:', 'Params:', 'Words:', 'Accounts:', 'Place:', 'Advanced:'],
      'Examples: social-search microblog search typescript --category Latest',
    ]
    for (const text of texts) expect(out.replaceAll(/\s+/g, ' ')).toContain(text)
  })

  it('is the same for help COMMAND and COMMAND --help, and -v prints the version', async () => {
    const help = await social('help mentions get')
    expect(help).toEqual({ code: 0, out: (await social('mentions get --help')).out, err: '' })
    expect(await social('help')).toMatchObject({ code: 0, out: expect.stringContaining('Your data:') })
    expect(await social('-v')).toMatchObject({ code: 0, out: `${packageJson.version}\n` })
  })

  it('lists in the help of mcp no flags of other commands', async () => {
    const { out } = await social('mcp --help')
    expect(out.match(/(?<=^ {2}(?:-h, )?)--[\w-]+/gm)).toEqual([
      ...['--budget', '--sandbox', '--confirm-above', '--allow', '--cache'],
      ...['--per-minute', '--timeout', '--validation', '--base-url', '--profile', '--help'],
    ])
  })

  it('lists the options of sandbox', async () => {
    const { out } = await social('sandbox --help')
    for (const option of ['--port', 'PORT', '--per-minute', '--in-flight', '--growth'])
      expect(out).toContain(option)
  })

  it('has --cache for commands that cost credits, and for no others', async () => {
    expect((await social('mentions list --help')).out).not.toContain('--cache')
    expect((await social('technews search --help')).out).toContain('--cache <time>')
  })

  it('has two examples for each operation, which the command accepts', async () => {
    expect((await social('help mentions count')).out).toContain('Examples:\n  social-search mentions count\n')
    const lines = operations.flatMap(({ id }) => examplesOf(id))
    expect(lines).toHaveLength(2 * operations.length)
    for (const line of lines) {
      const { err } = await social(`${line.replace('> openapi.json', '')} --per-minute off --sandbox`)
      // Ids and addresses are made up, so the answer may be 404.
      expect(err, line).toMatch(/^$|not found \(404\)/)
    }
  })

  it('names the commands of the group mentions', async () => {
    for (const line of ['mentions --help', 'help mentions'])
      expect((await social(line)).out).toContain('set-state')
  })
})

describe('a short name', () => {
  it.each([
    ['search coffee', { query: 'coffee' }, 'microblog search'],
    ['posts coffee', { query: 'coffee' }, 'professionalnet posts search'],
    ['company https://x', { url: 'https://x' }, 'professionalnet company get'],
    ['comments https://x --yes', { postUrl: 'https://x' }, 'professionalnet posts comments'],
  ])('stands for a command in %s, and in its help', async (line, body, name) => {
    await social(line)
    expect(bodies()).toEqual([body])
    const [short = ''] = line.split(' ')
    for (const help of [`${short} --help`, `help ${short}`])
      expect((await social(help)).out).toContain(`Usage: social-search ${name} `)
  })

  it('of mentions lists them', async () => {
    expect((await social('mentions --limit 3')).out).toBe((await social('mentions list --limit 3')).out)
  })
})
