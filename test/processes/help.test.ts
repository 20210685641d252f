import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { operations } from '../../src/api/operations.ts'
import { exampleOf } from '../../src/cli/help-texts.ts'
import { run } from './command.ts'
import { bodies, command, server, social, useCommand } from './served-command.ts'

useCommand()

describe('social-search', () => {
  it('has a command for each operation, which names bounds and price in its help', async () => {
    for (const { id } of operations.slice(0, 4)) {
      const names = id.split('.').map((name) => name.replace('setState', 'set-state'))
      expect((await social([...names, '--help'])).out).toContain(`Usage: social-search ${names.join(' ')}`)
    }
    const { out, code } = await social(['microblog', 'search', '--help'])
    expect([code, server.requests.length]).toEqual([0, 0])
    const texts = [
      ...['Usage: social-search microblog search [options] <query>', 'query Keywords', '"Latest"'],
      ...[
        'Posts to return. Fewer do not cost less (integer, 1 to 20, default 20)',
        '2 credits a page',
        '130 interrupted',
        ...['Params:', 'Pages:', 'Credits:', 'Connection:', 'Output:'],
        'Examples: social-search microblog search typescript --category Latest',
      ],
    ]
    for (const text of texts) expect(out.replaceAll(/\s+/g, ' ')).toContain(text)
  })

  it('shows the same help for help COMMAND and COMMAND --help, and its version for -v', async () => {
    const [help, flag, all, version, unknown] = await Promise.all([
      social(['help', 'mentions', 'get']),
      social(['mentions', 'get', '--help']),
      social(['help']),
      social(['-v']),
      social(['help', 'mentions', 'nothing']),
    ])
    expect([help.code, help.out]).toEqual([0, flag.out])
    expect([all.code, all.out]).toEqual([0, expect.stringContaining('Commands:')])
    expect([version.code, version.out]).toEqual([0, `${packageJson.version}\n`])
    expect([unknown.code, unknown.err]).toEqual([
      2,
      expect.stringContaining('unknown command mentions nothing'),
    ])
  })

  it('lists in the help of mcp no flags of other commands', async () => {
    const { out } = await social(['mcp', '--help'])
    expect([...out.matchAll(/^ {2}(?:-h, )?(--[\w-]+)/gm)].map(([, flag]) => flag)).toEqual([
      ...[
        '--budget',
        '--cache',
        '--per-minute',
        '--timeout',
        '--validation',
        '--base-url',
        '--profile',
        '--sandbox',
      ],
      ...['--confirm-above', '--max-per-call', '--allow', '--help'],
    ])
  })

  it('accepts the example in the help of each operation', async () => {
    const { out } = await social(['help', 'mentions', 'count'])
    expect(out).toContain('Examples:\n  social-search mentions count\n')
    const lines = operations.flatMap(({ id }) => exampleOf(id).match(/(?<=^ {2})social-search .*$/gm) ?? [])
    expect(lines).toHaveLength(2 * operations.length)
    const file = join(command.folder, 'examples.sh')
    const call =
      'social() { "$NODE" "$FILE" "$@" --sandbox > /dev/null; [ $? != 2 ] || echo "wrong: $*" >&2; }'
    const commands = lines.map((line) => line.replace('social-search', 'social'))
    writeFileSync(file, `${[call, ...commands].join(' &\n')}\nwait`.replace('&\n', '\n'))
    const env = { NODE: process.execPath, FILE: command.file }
    const { err } = await run({ folder: command.folder, file }, [], { env, program: 'bash' })
    // Ids and addresses are made up, so the answer may be 404.
    expect(err.match(/^(wrong|social-search): (?!.* answered 404;).*/gm)).toBe(null)
    expect(err).toContain('answered 404')
  })

  it.each([
    ['search', ['coffee'], { query: 'coffee' }],
    ['posts', ['coffee'], { query: 'coffee' }],
    ['company', ['https://x.example'], { url: 'https://x.example' }],
    ['comments', ['https://x.example', '--limit', '300'], { postUrl: 'https://x.example', maxComments: 300 }],
    ['comments', ['https://x.example', '--limit', '5'], { postUrl: 'https://x.example' }],
  ])('has the short name %s for a command, and its help', async (name, args, body) => {
    await social([name, ...args])
    expect(bodies()).toEqual([body])
    const whole: Readonly<Record<string, string>> = {
      search: 'microblog search',
      posts: 'professionalnet posts search',
      company: 'professionalnet company get',
    }
    const usage = whole[name] ?? 'professionalnet posts comments'
    for (const help of [
      [name, '--help'],
      ['help', name],
    ])
      expect((await social(help)).out).toContain(`Usage: social-search ${usage} `)
  })

  it('lists mentions for the group mentions, whose help names its commands', async () => {
    expect((await social(['mentions', '--limit', '3'])).out).toBe(
      (await social(['mentions', 'list', '--limit', '3'])).out,
    )
    for (const help of [
      ['mentions', '--help'],
      ['help', 'mentions'],
    ])
      expect((await social(help)).out).toContain('set-state')
  })
})

describe('mcp', () => {
  it('names the version of the package', async () => {
    const clientInfo = { name: 'test', version: '0' }
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`
    const { out } = await social(['mcp', '--sandbox'], { input })
    const { result } = JSON.parse(out) as { result: unknown }
    expect(result).toMatchObject({ serverInfo: { name: 'social-search', version: packageJson.version } })
  })
})

describe('completion', () => {
  it.each([
    ['mentions s', ['set-state']],
    ['microblog search --category ', ['Top', 'Latest', 'People', 'Photos', 'Videos']],
    ['microblog search coffee --bo', ['--body', '--bom']],
    ['search coffee --bo', ['--body', '--bom']],
    ['comp', ['completion', 'company']],
    ['help feeds g', ['get']],
    ['completion z', []],
  ])('completes %j in bash', async (line, expected) => {
    const file = join(command.folder, 'complete.sh')
    writeFileSync(
      file,
      `social-search() { "$NODE" "$FILE" "$@"; }
eval "$(social-search completion bash)"
COMP_WORDS=(social-search "$@")
COMP_CWORD=$#
_social_search
printf '%s\\n' "\${COMPREPLY[@]}"`,
    )
    const env = { NODE: process.execPath, FILE: command.file }
    const { out } = await run({ folder: command.folder, file }, line.split(' '), { env, program: 'bash' })
    expect(out.split('\n').filter(Boolean)).toEqual(expected)
  })

  it('prints a script for each shell, and names the shells for another one', async () => {
    for (const shell of ['bash', 'zsh', 'fish'])
      expect((await run(command, ['completion', shell])).out).toContain('social-search completion -- ')
    const { code, err } = await run(command, ['completion', 'tcsh'])
    expect([code, err]).toEqual([2, expect.stringContaining('expected one of bash, zsh, fish')])
  })
})
