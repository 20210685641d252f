import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { sqliteCacheStore } from '../../src/extensions/cache/node.ts'

const folder = mkdtempSync(join(tmpdir(), 'cache-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('sqliteCacheStore()', () => {
  it('is readable, and returns nothing wrong, when a process dies while it writes', async () => {
    const path = join(folder, 'killed.sqlite')
    const writer = fileURLToPath(new URL('cache/writer.ts', import.meta.url))
    let found = 0
    for (let kill = 0; kill < 30; kill++) {
      const child = spawn(process.execPath, [writer, path], { stdio: ['ignore', 'pipe', 'inherit'] })
      await once(child.stdout, 'data')
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 40))
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      const store = sqliteCacheStore(path)
      for (let number = 0; number < 50; number++) {
        const value = store.get(`key ${number}`) as string | undefined
        if (value === undefined) continue
        found++
        const { text, length } = JSON.parse(value) as { text: string; length: number }
        expect(text).toHaveLength(length)
      }
      store.close()
    }
    expect(found).toBeGreaterThan(30 * 10)
  })

  it('opens the file while other processes open and close it', async () => {
    const opener = fileURLToPath(new URL('cache/opener.ts', import.meta.url))
    const path = join(folder, 'opened.sqlite')
    const ended = [1, 2, 3].map(async () => {
      const child = spawn(process.execPath, [opener, path], { stdio: ['ignore', 'inherit', 'pipe'] })
      let errors = ''
      child.stderr.on('data', (data: Buffer) => (errors += String(data)))
      const [code] = (await once(child, 'close')) as [number]
      return { code, errors: /.*Error.*/.exec(errors)?.[0] }
    })
    expect(await Promise.all(ended)).toEqual(Array(3).fill({ code: 0 }))
  })
})
