import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { catalogue } from './catalogue.ts'

// Random waits are zero, unless a case says otherwise.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
afterEach(() => void vi.restoreAllMocks())

const page = readFileSync('test/faults/faults.md', 'utf8')
/** Its rows with a number. */
const rows = page
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => {
    const [id, name, , observed] = line.slice(2, -2).split(' | ')
    return { id: Number(id), name, observed }
  })

describe('the fault catalogue', () => {
  it('links to the tests of failures that it does not simulate', () => {
    const links = [...page.matchAll(/\| \[(.*)\]\(\.\.\/(.*)\) \|/g)]
    expect(links.length).toBeGreaterThan(10)
    for (const [, title = '', file] of links) expect(readFileSync(`test/${file}`, 'utf8')).toContain(title)
  })

  it('matches test/faults/faults.md', () => {
    const ids = rows.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
    expect(catalogue.map(({ id, name }) => [id, name])).toEqual(rows.map(({ id, name }) => [id, name]))
  })

  it.each(catalogue.map((fault) => ({ ...fault, number: String(fault.id).padStart(3, '0') })))(
    '#$number: $name',
    async ({ id, run }) => {
      expect(await run()).toBe(rows.find((row) => row.id === id)?.observed)
    },
    // The largest make tens of thousands of calls, and machines differ.
    120_000,
  )
})
