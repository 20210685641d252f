import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('../../', import.meta.url)
const text = readFileSync(new URL('CONTRIBUTING.md', root), 'utf8')

it.each([
  ['table of changes', /## To change X, open Y([^]*?)\n## /, /`([\w/.-]+)`/g, 12],
  [
    'path of a call',
    /## The path of a call([^]*?)\n## /,
    /`((?:core|limits|api|call|pages|shared)\/[\w/.-]+\.ts)`/g,
    5,
  ],
])('CONTRIBUTING.md names files that exist in the %s', (_, part, names, least) => {
  const files = Array.from((part.exec(text)?.[1] ?? '').matchAll(names), ([, file]) => file!)
  const places = ['', 'src/', 'src/core/', 'src/extensions/']
  const lost = files.filter((file) => !places.some((place) => existsSync(new URL(place + file, root))))
  expect(files.length).toBeGreaterThan(least)
  expect(lost).toEqual([])
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
