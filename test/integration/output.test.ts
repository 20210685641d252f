import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = (program: string) =>
  promisify(execFile)(process.execPath, [fileURLToPath(new URL(program, import.meta.url))])

it('a client writes its warnings to stderr, and nothing to stdout', async () => {
  const { stdout, stderr } = await run('output.ts')
  expect(stdout).toBe('')
  expect(stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^social-search-sdk: failed, retrying .* charged: unknown/),
    expect.stringMatching(/^social-search-sdk: a call waits for more than 5 seconds: .*until: /),
  ])
})

it('a call raises one unhandled rejection when it fails without being awaited', async () => {
  const { stdout } = await run('forgotten.ts')
  const failed = [
    'call',
    'call.withResponse()',
    'search.then()',
    'search.withResponse()',
    'pages().next()',
    'toArray()',
  ]
  const handled = ['call.catch()', 'await call', 'await twice', 'search.catch()', 'search, unused']
  expect(JSON.parse(stdout)).toEqual({
    ...Object.fromEntries(failed.map((name) => [name, ['PermissionDeniedError']])),
    ...{ 'invalid params': ['InvalidRequestError'] },
    ...Object.fromEntries(handled.map((name) => [name, []])),
  })
})
