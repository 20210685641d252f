import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../../src/cli/command-errors.ts'
import { lockForRun } from '../../src/cli/run-lock.ts'
import { newFolder } from '../support/folder.ts'

let folder: string
let out: string
beforeEach(() => {
  folder = newFolder()
  out = join(folder, 'state.json')
})

describe('lockForRun()', () => {
  it('throws a UsageError while the file or a link to it is locked', async () => {
    writeFileSync(out, '{}')
    symlinkSync('state.json', join(folder, 'link'))
    const lock = await lockForRun(join(folder, 'link'))
    for (const path of [out, join(folder, 'link')])
      await expect(lockForRun(path)).rejects.toThrow(
        new UsageError(`${path} is in use by another run; wait until it ends, or pass another file`),
      )
    const other = await lockForRun(out, ['.other'])
    other.release()
    lock.release()
    ;(await lockForRun(out)).release()
    expect(readdirSync(folder).sort()).toEqual(['link', 'state.json'])
  })

  it('locks each of several jobs, or none', async () => {
    const first = await lockForRun(out, ['.a', '.b'])
    await expect(lockForRun(out, ['.0', '.b', '.c'])).rejects.toThrow('in use by another run')
    ;(await lockForRun(out, ['.0', '.c'])).release()
    first.release()
    ;(await lockForRun(out, ['.0', '.b', '.c'])).release()
    expect(readdirSync(folder)).toEqual([])
  })

  it('takes the lock that a killed run has left', async () => {
    writeFileSync(`${out}.lock`, '')
    ;(await lockForRun(out)).release()
    expect(readdirSync(folder)).toEqual([])
  })

  it('leaves a file of the user as it is', async () => {
    writeFileSync(`${out}.lock`, 'own')
    await expect(lockForRun(out)).rejects.toThrow(/state\.json\.lock cannot be a lock/)
    expect(readFileSync(`${out}.lock`, 'utf8')).toBe('own')
    const path = join(folder, 'folder')
    mkdirSync(`${path}.lock`)
    await expect(lockForRun(path)).rejects.toThrow(UsageError)
  })
})
