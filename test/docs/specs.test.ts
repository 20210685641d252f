import { readFileSync } from 'node:fs'
import { getHttpOperationsFromSpec } from '@stoplight/prism-http'
import { describe, expect, it } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { compareContract } from '../../scripts/contract/compare.ts'

const text = readFileSync(new URL('../../docs/specs/openapi.json', import.meta.url), 'utf8')
const openapi = JSON.parse(text) as Record<string, unknown>

describe('docs/specs/openapi.json', () => {
  it('is the contract of the service, in its version, and names no sandbox', () => {
    expect(compareContract(openapi)).toEqual([])
    expect(openapi).toMatchObject({ info: { version: '1.0.0' } })
    expect(text).not.toContain('sandbox')
  })

  it('is read by another program, with each operation and its server', async () => {
    const found = await getHttpOperationsFromSpec(openapi)
    const keyOf = ({ method, path }: { method: string; path: string }) => `${method.toUpperCase()} ${path}`
    expect(found.map(keyOf).sort()).toEqual(operations.map(keyOf).sort())
    for (const { servers } of found)
      expect(servers?.map(({ url }) => url)).toEqual(['https://api.example.com/v1'])
  })
})
