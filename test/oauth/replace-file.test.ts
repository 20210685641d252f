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
import { replaceFile } from '../../src/extensions/oauth/node/replace-file.ts'
import { newFolder } from '../support/folder.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = newFolder()
  path = join(folder, 'login.json')
})

describe('replaceFile()', () => {
  it('writes through no link at the name of a temporary file', () => {
    const other = join(folder, 'other')
    writeFileSync(other, 'own')
    symlinkSync(other, `${path}.tmp`)
    replaceFile(path, 'key', 0o600)
    expect([readFileSync(path, 'utf8'), readFileSync(other, 'utf8')]).toEqual(['key', 'own'])
    expect(() => replaceFile(path, 'key', 0o600, `${path}.tmp`)).toThrow('EEXIST')
    expect(readdirSync(folder).sort()).toEqual(['login.json', 'login.json.tmp', 'other'])
  })

  it.skipIf(process.platform === 'win32')('keeps the mode of the file', () => {
    writeFileSync(path, 'old')
    chmodSync(path, 0o640)
    replaceFile(path, 'new')
    expect(statSync(path).mode & 0o777).toBe(0o640)
    replaceFile(path, 'key', 0o600)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('leaves the file as it is when `beforeRename` throws', () => {
    writeFileSync(path, 'old')
    const lost = (): never => {
      expect(readFileSync(`${path}.tmp`, 'utf8')).toBe('new')
      throw new Error('lost')
    }
    expect(() => replaceFile(path, 'new', 0o600, `${path}.tmp`, lost)).toThrow('lost')
    expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual(['old', ['login.json']])
  })

  it('leaves nothing behind when it fails', () => {
    mkdirSync(join(path, 'full'), { recursive: true })
    expect(() => replaceFile(path, 'key')).toThrow()
    expect(readdirSync(folder)).toEqual(['login.json'])
  })
})
