import {
  chmodSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { replaceFile } from '../../../src/lib/node/replace-file.ts'
import { newFolder } from '../../support/folder.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = newFolder()
  path = join(folder, 'login.json')
})

describe('replaceFile()', () => {
  it('writes through no link at the name of its temporary file', () => {
    const other = join(folder, 'other')
    writeFileSync(other, 'own')
    symlinkSync(other, `${path}.lock.tmp`)
    replaceFile(path, 'key', 0o600)
    expect([readFileSync(path, 'utf8'), readFileSync(other, 'utf8')]).toEqual(['key', 'own'])
    expect(readdirSync(folder).sort()).toEqual(['login.json', 'other'])
  })

  it.skipIf(process.platform === 'win32')('keeps the mode of the file', () => {
    writeFileSync(path, 'old')
    chmodSync(path, 0o640)
    replaceFile(path, 'new')
    expect(statSync(path).mode & 0o777).toBe(0o640)
    replaceFile(path, 'key', 0o600)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('leaves nothing behind when it fails', () => {
    mkdirSync(join(path, 'full'), { recursive: true })
    expect(() => replaceFile(path, 'key')).toThrow()
    expect(readdirSync(folder)).toEqual(['login.json'])
  })
})
