import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Faults } from './observe.ts'
import { paging } from './paging.ts'
import { concurrency } from './queue.ts'
import { billing, http, payload, retryAfter, shape, time } from './service.ts'
import { encodings, network, protocol } from './wire.ts'

const service: Faults = { ...http, ...retryAfter, ...payload, ...shape, ...time, ...billing }
const catalogue: Faults = { ...network, ...protocol, ...encodings, ...service, ...concurrency, ...paging }

const page = readFileSync('test/faults/faults.md', 'utf8')
/** Its rows with a number. */
const rows = page
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => {
    const [id, name = '', , observed] = line.slice(2, -2).split(' | ')
    return { id: Number(id), name, observed }
  })

describe('the fault catalogue', () => {
  // Random waits are zero, unless a case says otherwise.
  beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0))
  afterEach(() => void vi.restoreAllMocks())

  // The largest make tens of thousands of calls, and machines differ.
  it.each(rows)('#$id: $name', async ({ name, observed }) => {
    expect(await catalogue[name]?.()).toBe(observed)
  })

  it('matches test/faults/faults.md', () => {
    const ids = rows.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b))
    expect(Object.keys(catalogue).sort()).toEqual(rows.map(({ name }) => name).sort())
  })

  it('links to the tests of failures that it does not simulate', () => {
    const links = [...page.matchAll(/\| \[(.*)\]\(\.\.\/(.*)\) \|/g)]
    expect(links.length).toBeGreaterThan(10)
    for (const [, title = '', file] of links) expect(readFileSync(`test/${file}`, 'utf8')).toContain(title)
  })
})
