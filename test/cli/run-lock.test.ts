import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../../src/cli/command-errors.ts'
import { lockForRun } from '../../src/cli/database/open-database.ts'
import { newFolder } from '../support/folder.ts'

let folder: string
let out: string
beforeEach(() => {
  folder = newFolder()
  out = join(folder, 'state.json')
})

describe('lockForRun()', () => {
  it('throws a UsageError while the file or a link to it is locked', () => {
    writeFileSync(out, '{}')
    symlinkSync('state.json', join(folder, 'link'))
    const lock = lockForRun(join(folder, 'link'))
    const said = 'is in use by another run; wait until it ends, or pass another file'
    for (const path of [out, join(folder, 'link')])
      expect(() => lockForRun(path)).toThrow(new UsageError(`${path} ${said}`))
    lockForRun(out, ['.other']).release()
    lock.release()
    lockForRun(out).release()
    expect(readdirSync(folder).sort()).toEqual(['link', 'state.json'])
  })

  it('locks the file that a link leads to when that file is still to come', () => {
    mkdirSync(join(folder, 'disk/deep'), { recursive: true })
    symlinkSync('disk/deep', join(folder, 'short'))
    symlinkSync('../file.db', join(folder, 'short/next'))
    symlinkSync('short/next', join(folder, 'link'))
    const lock = lockForRun(join(folder, 'link'))
    expect(() => lockForRun(join(folder, 'disk/file.db'))).toThrow('in use by another run')
    writeFileSync(join(folder, 'link'), '')
    expect(() => lockForRun(join(folder, 'link'))).toThrow('in use by another run')
    lock.release()
    expect(readdirSync(join(folder, 'disk')).sort()).toEqual(['deep', 'file.db'])
  })

  it('locks each of several jobs, or none', () => {
    const first = lockForRun(out, ['.a', '.b'])
    expect(() => lockForRun(out, ['.0', '.b', '.c'])).toThrow('in use by another run')
    lockForRun(out, ['.0', '.c']).release()
    first.release()
    lockForRun(out, ['.0', '.b', '.c']).release()
    expect(readdirSync(folder)).toEqual([])
  })

  it('takes the lock that a killed run has left', () => {
    writeFileSync(`${out}.lock`, '')
    lockForRun(out).release()
    expect(readdirSync(folder)).toEqual([])
  })

  it('leaves a file of the user as it is', () => {
    writeFileSync(`${out}.lock`, 'own')
    expect(() => lockForRun(out)).toThrow(/state\.json\.lock cannot be a lock/)
    expect(readFileSync(`${out}.lock`, 'utf8')).toBe('own')
    mkdirSync(join(folder, 'folder.lock'))
    expect(() => lockForRun(join(folder, 'folder'))).toThrow(UsageError)
  })
})
