import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { newFolder } from '../support/folder.ts'

describe('sqliteCacheStore()', () => {
  it('opens the file while other processes open and close it', async () => {
    const opener = fileURLToPath(new URL('cache/opener.ts', import.meta.url))
    const path = join(newFolder(), 'opened.sqlite')
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
