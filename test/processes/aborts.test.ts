import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const program = fileURLToPath(new URL('aborts/run.ts', import.meta.url))
const rounds = 400

describe('SocialSearch and createProxy()', () => {
  it.each([1, 2])(
    'settle every call, leave nothing reserved and no rejection unhandled, with aborts at any moment, seed %i',
    (seed) => {
      const args = ['--unhandled-rejections=throw', program, String(seed), String(rounds)]
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      expect(stderr).toBe('')
      const { problems, outcomes } = JSON.parse(stdout) as {
        problems: string[]
        outcomes: Record<string, number>
      }
      expect(problems).toEqual([])
      expect(status).toBe(0)
      // Otherwise, it has tried out little.
      expect(outcomes).toMatchObject({ done: expect.any(Number), 200: expect.any(Number) })
    },
  )
})
