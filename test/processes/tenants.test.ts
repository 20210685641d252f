import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const program = fileURLToPath(new URL('tenants.ts', import.meta.url))

describe('SocialSearch', () => {
  it('frees the memory and the key of each of 5,000 clients', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program])
    const { left, hasKey } = JSON.parse(stdout)
    // A limiter takes more than two thousand; what stays is the name of its limits.
    expect(left).toBeLessThan(400)
    expect(hasKey).toBe(false)
  })
})
