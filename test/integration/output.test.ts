import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const program = fileURLToPath(new URL('output.ts', import.meta.url))

it('a client writes its warnings to stderr, and nothing to stdout', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [program])
  expect(stdout).toBe('')
  expect(stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^social-search-sdk: failed, retrying .* charged: unknown/),
    expect.stringMatching(/^social-search-sdk: a call waits for more than 5 seconds: .*until: /),
  ])
})
