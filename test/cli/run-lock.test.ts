import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { UsageError } from '../../src/cli/command-errors.ts'
import { RunLock } from '../../src/cli/run-lock.ts'
import { newFolder } from '../support/folder.ts'

let folder: string
let out: string
beforeEach(() => {
  folder = newFolder()
  out = join(folder, 'posts.jsonl')
})

/** Takes a lock, and makes its name that of another owner. */
function lockOf(change: (owner: string) => string): { lock: RunLock; mark: string } {
  const lock = new RunLock(out)
  const [owner = ''] = readdirSync(`${out}.lock`)
  const mark = join(`${out}.lock`, change(owner))
  renameSync(join(`${out}.lock`, owner), mark)
  return { lock, mark }
}
const elsewhere = (owner: string): string => owner.replace(/\w{8}(?=-\w{8}$)/, '00000000')

describe('new RunLock()', () => {
  it('throws a UsageError with the pid while the file or a link to it is locked', () => {
    symlinkSync('posts.jsonl', join(folder, 'link'))
    symlinkSync(join(folder, 'link'), join(folder, 'link to the link'))
    const lock = new RunLock(join(folder, 'link to the link'))
    for (const path of [out, join(folder, 'link')])
      expect(() => new RunLock(path)).toThrow(
        new UsageError(
          `${join(folder, 'posts.jsonl')} is in use by process ${process.pid}; wait until it ends, or pass another file`,
        ),
      )
    lock.release()
    new RunLock(out).release()
    expect(readdirSync(folder)).toEqual(['link', 'link to the link'])
  })

  it.each([
    [
      'in a folder that is missing',
      () => join(folder, 'none/posts.db'),
      'none does not exist; make it first',
    ],
    ['with the name of a folder', () => folder, `is a folder; pass a file`],
    ['in a folder that takes no files', () => '/proc/posts.db', 'cannot be written (ENOENT)'],
  ])('throws a UsageError that names a file %s', (_, path, message) => {
    expect(() => new RunLock(path())).toThrow(UsageError)
    expect(() => new RunLock(path())).toThrow(path())
    expect(() => new RunLock(path())).toThrow(message)
    expect(readdirSync(folder)).toEqual([])
  })

  it('refuses a loop of links', () => {
    symlinkSync('posts.jsonl', out)
    expect(() => new RunLock(out)).toThrow('loop of links')
  })

  it('refuses the lock of another machine until it has been silent for two minutes', () => {
    const { lock, mark } = lockOf(elsewhere)
    expect(() => new RunLock(out)).toThrow(
      `of another machine or container; if that has ended, remove ${out}`,
    )
    const past = Date.now() / 1000 - 130
    utimesSync(mark, past, past)
    const next = new RunLock(out)
    expect(() => lock.replace(out, 'late')).toThrow('taken over by another process')
    lock.release()
    expect(() => new RunLock(out)).toThrow(String(process.pid))
    next.release()
    expect(readdirSync(folder)).toEqual([])
  })

  it.skipIf(!existsSync('/proc/self/stat'))(
    'removes what ended processes have left, and nothing else',
    () => {
      const ended = (owner: string): string => owner.replace(/-\w+/, '-1')
      const { mark } = lockOf(ended)
      const [owner = ''] = readdirSync(`${out}.lock`)
      writeFileSync(`${mark}.tmp`, '')
      mkdirSync(`${out}.lock.${owner}`)
      writeFileSync(join(`${out}.lock.${owner}`, owner), '')
      for (const name of ['.lock.old', `.lock.${elsewhere(owner)}`, '.tmp']) writeFileSync(out + name, 'own')
      new RunLock(out).release()
      expect(readdirSync(folder).sort()).toEqual(
        ['.lock.old', `.lock.${elsewhere(owner)}`, '.tmp'].map((name) => `posts.jsonl${name}`).sort(),
      )
    },
  )

  it("refuses a user's own folder", () => {
    mkdirSync(`${out}.lock`)
    writeFileSync(join(`${out}.lock`, 'notes'), 'own')
    expect(() => new RunLock(out)).toThrow('is not a lock')
    expect(readdirSync(folder)).toEqual(['posts.jsonl.lock'])
  })
})
