import fs, {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { writeWhole } from '../../src/cli/whole-file.ts'
import { newFolder } from '../support/folder.ts'

const parent = newFolder()
let folder: string
let path: string
let tests = 0
beforeEach(() => {
  folder = join(parent, String(++tests))
  path = join(folder, 'posts.csv')
  mkdirSync(folder)
})

/** What Windows does not have: modes. */
const onPosix = it.skipIf(process.platform === 'win32')
const never = new AbortController().signal
const large = Buffer.alloc(70_000, 'a')

function write(parts: readonly Uint8Array[], mayReplace = false, between: () => unknown = () => {}) {
  function* bytes() {
    for (const part of parts) {
      between()
      yield part
    }
    between()
  }
  return writeWhole(path, bytes(), { mayReplace, signal: never }, (place) => place())
}

describe('writeWhole()', () => {
  it('gives a file its name when it is complete, and leaves nothing else', async () => {
    const seen: boolean[] = []
    await write([large, large, Buffer.from('end')], false, () => seen.push(existsSync(path)))
    expect(seen).toEqual([false, false, false, false])
    expect(readFileSync(path, 'utf8')).toBe(`${'a'.repeat(140_000)}end`)
    expect(readdirSync(folder)).toEqual(['posts.csv'])
  })

  it('leaves nothing when the bytes fail, when it is stopped, or when it gets no name', async () => {
    await expect(
      write([large], false, () => {
        throw new Error('broken')
      }),
    ).rejects.toThrow('broken')
    const stopped = AbortSignal.abort(new Error('stopped'))
    await expect(
      writeWhole(path, [large], { mayReplace: false, signal: stopped }, (place) => place()),
    ).rejects.toThrow('stopped')
    const refused = writeWhole(path, [large], { mayReplace: false, signal: never }, () =>
      Promise.reject(new Error('locked')),
    )
    await expect(refused).rejects.toThrow('locked')
    expect(readdirSync(folder)).toEqual([])
  })

  it('replaces no file, not even one that came meanwhile', async () => {
    await expect(write([large], false, () => writeFileSync(path, 'own'))).rejects.toThrow(
      'exists; pass --overwrite',
    )
    await expect(write([large])).rejects.toThrow('exists; pass --overwrite')
    expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['posts.csv'], 'own'])
  })

  onPosix.each([0o600, 0o640, 0o444, 0o666])(
    'keeps the mode of a file that it replaces: %o',
    async (mode) => {
      writeFileSync(path, 'old')
      chmodSync(path, mode)
      const modes: number[] = []
      const note = () => {
        for (const name of readdirSync(folder)) modes.push(statSync(join(folder, name)).mode & 0o777 & ~mode)
      }
      await write([large, large], true, note)
      expect(statSync(path).mode & 0o777).toBe(mode)
      expect(statSync(path).size).toBe(140_000)
      // Not even for a moment may somebody else read it.
      expect(modes.filter((others) => (others & 0o077) !== 0)).toEqual([])
    },
  )

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
