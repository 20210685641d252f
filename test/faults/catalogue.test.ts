import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { catalogue, checkFaults, page, rows } from './catalogue.ts'

it('the fault catalogue links to the tests of failures that it does not simulate', () => {
  const links = [...page.matchAll(/\| \[(.*)\]\(\.\.\/(.*)\) \|/g)]
  expect(links.length).toBeGreaterThan(10)
  for (const [, title = '', file] of links) expect(readFileSync(`test/${file}`, 'utf8')).toContain(title)
})

it('the fault catalogue matches test/faults/faults.md', () => {
  const ids = rows.map(({ id }) => id)
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
  expect(Object.keys(catalogue).sort()).toEqual(rows.map(({ name }) => name).sort())
})

checkFaults(false)
