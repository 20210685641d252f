import fs, { chmodSync, existsSync, lstatSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { symlinkSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { writeWhole } from '../../src/cli/whole-file.ts'
import { newFolder } from '../support/folder.ts'

let folder: string
let path: string
beforeEach(() => {
  folder = newFolder()
  path = join(folder, 'posts.csv')
})

/** What Windows does not have: modes. */
const onPosix = it.skipIf(process.platform === 'win32')
const never = new AbortController().signal
const large = Buffer.alloc(70_000, 'a')

/** Writes the parts. `between()` is called before and after each. */
function write(
  parts: readonly Uint8Array[],
  mayReplace = false,
  between: () => unknown = () => {},
  signal = never,
) {
  function* bytes() {
    for (const part of parts) {
      between()
      yield part
    }
    between()
  }
  return writeWhole(path, bytes(), { mayReplace, signal }, (place) => place())
}

describe('writeWhole()', () => {
  it('gives a file its name when it is complete, and leaves nothing else', async () => {
    const seen: boolean[] = []
    await write([large, large, Buffer.from('end')], false, () => seen.push(existsSync(path)))
    expect(seen).toEqual([false, false, false, false])
    expect(readFileSync(path, 'utf8')).toBe(`${'a'.repeat(140_000)}end`)
    expect(readdirSync(folder)).toEqual(['posts.csv'])
  })

  it('leaves nothing when it is stopped, or gets no name', async () => {
    const signal = AbortSignal.abort(new Error('stopped'))
    await expect(write([large], false, () => {}, signal)).rejects.toThrow('stopped')
    const refuse = () => Promise.reject(new Error('locked'))
    const refused = writeWhole(path, [large], { mayReplace: false, signal: never }, refuse)
    await expect(refused).rejects.toThrow('locked')
    expect(readdirSync(folder)).toEqual([])
  })

  it('replaces no file, not even one that came meanwhile', async () => {
    for (const between of [() => writeFileSync(path, 'own'), () => {}])
      await expect(write([large], false, between)).rejects.toThrow('exists; pass --overwrite')
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['posts.csv'], 'own'])
  })

  onPosix.each([0o600, 0o640, 0o444, 0o666])('keeps the mode of a file it replaces: %o', async (mode) => {
    writeFileSync(path, 'old')
    chmodSync(path, mode)
    // Not even for a moment may somebody else read it.
    const check = () => {
      for (const name of readdirSync(folder))
        expect(statSync(join(folder, name)).mode & 0o077 & ~mode).toBe(0)
    }
    await write([large, large], true, check)
    expect([statSync(path).mode & 0o777, statSync(path).size]).toEqual([mode, 140_000])
  })

  it('replaces what a link leads to, which stays a link, also before there is a file', async () => {
    const target = join(folder, 'target.csv')
    symlinkSync('target.csv', path)
    for (const text of ['first', 'second']) {
      await write([Buffer.from(text)], true)
      expect([lstatSync(path).isSymbolicLink(), readFileSync(target, 'utf8')]).toEqual([true, text])
    }
    expect(readdirSync(folder).sort()).toEqual(['posts.csv', 'target.csv'])
  })

  it('says of a file that is mounted alone that it cannot be replaced, and leaves it as it is', async () => {
    writeFileSync(path, 'old')
    const rename = vi.spyOn(fs, 'renameSync').mockImplementation(() => {
      throw Object.assign(new Error('no'), { code: 'EBUSY' })
    })
    syncBuiltinESMExports()
    onTestFinished(() => {
      rename.mockRestore()
      syncBuiltinESMExports()
    })
    await expect(write([large], true)).rejects.toThrow(`${path} cannot be written (EBUSY)`)
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['posts.csv'], 'old'])
  })
})
