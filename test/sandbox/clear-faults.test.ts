import { afterEach, describe, expect, it } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.ts'
import { search } from './helpers.ts'

const query = { query: 'coffee' }

describe('clearFaults()', () => {
  it('removes the faults that have not struck, and counts them', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ status: 502 })
    sandbox.inject({ status: 503, skip: 5 })
    sandbox.inject({ status: 500, times: Infinity })
    await sandbox.fetch(new Request(sandbox.baseUrl))
    expect(sandbox.clearFaults()).toBe(3)
    expect((await search(sandbox, query)).status).toBe(200)
    expect(sandbox.clearFaults()).toBe(0)
  })

  it('counts a fault that has not struck as often as it should', async () => {
    const sandbox = createSandbox()
    sandbox.inject({ status: 502 })
    sandbox.inject({ status: 502, times: 2 })
    for (let i = 0; i < 2; i++) expect((await search(sandbox, query)).status).toBe(502)
    expect(sandbox.clearFaults()).toBe(1)
  })
})

describe('two tests that share a sandbox', () => {
  const sandbox = createSandbox()
  afterEach(() => void sandbox.clearFaults())

  it.each(['first', 'second'])('are independent in the %s one', async () => {
    expect((await search(sandbox, query)).status).toBe(200)
    sandbox.inject({ status: 502 })
  })
})
