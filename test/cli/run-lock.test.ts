import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../../src/cli/command-errors.ts'
import { RunLock } from '../../src/cli/run-lock.ts'
import { newFolder } from '../support/folder.ts'

let folder: string
let out: string
beforeEach(() => {
  folder = newFolder()
  out = join(folder, 'state.json')
})

describe('RunLock.take()', () => {
  it('throws a UsageError while the file or a link to it is locked', async () => {
    writeFileSync(out, '{}')
    symlinkSync('state.json', join(folder, 'link'))
    const lock = await RunLock.take(join(folder, 'link'))
    for (const path of [out, join(folder, 'link')])
      await expect(RunLock.take(path)).rejects.toThrow(
        new UsageError(`${path} is in use by another run; wait until it ends, or pass another file`),
      )
    const other = await RunLock.take(out, '.other')
    other.release()
    lock.release()
    ;(await RunLock.take(out)).release()
    expect(readdirSync(folder).sort()).toEqual(['link', 'state.json'])
  })

  it('leaves a file of the user as it is', async () => {
    writeFileSync(`${out}.lock`, 'own')
    await expect(RunLock.take(out)).rejects.toThrow(/state\.json\.lock cannot be a lock/)
    expect(readFileSync(`${out}.lock`, 'utf8')).toBe('own')
    const path = join(folder, 'folder')
    mkdirSync(`${path}.lock`)
    await expect(RunLock.take(path)).rejects.toThrow(UsageError)
  })
})
