import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const text = readFileSync(new URL('CONTRIBUTING.md', root), 'utf8')

describe('CONTRIBUTING.md', () => {
  it('names files that exist in the table of changes', () => {
    const [, table = ''] = /## To change X, open Y([^]*?)\n## /.exec(text) ?? []
    const files = Array.from(table.matchAll(/`([\w/.-]+)`/g), ([, file]) => file!)
    expect(files.length).toBeGreaterThan(12)
    expect(files.filter((file) => !existsSync(new URL(file, root)))).toEqual([])
  })

  it('names files that exist in the path of a call', () => {
    const [, path = ''] = /## The path of a call([^]*?)\n## /.exec(text) ?? []
    const files = Array.from(
      path.matchAll(/`((?:core|limits|api|call|pages|shared)\/[\w/.-]+\.ts)`/g),
      ([, file]) => file!,
    )
    const places = ['src/', 'src/core/', 'src/extensions/']
    const lost = files.filter((file) => !places.some((place) => existsSync(new URL(place + file, root))))
    expect(files.length).toBeGreaterThan(5)
    expect(lost).toEqual([])
  })
})

it('every note of docs/decisions has its date in its name and in its text', () => {
  const folder = new URL('docs/decisions/', root)
  const notes = readdirSync(folder).filter((name) => name !== 'README.md')
  expect(notes.length).toBeGreaterThan(5)
  for (const name of notes) {
    const [date] = /^\d{4}-\d\d-\d\d/.exec(name)!
    expect(readFileSync(new URL(name, folder), 'utf8').split('\n')[2]).toBe(date)
  }
})
