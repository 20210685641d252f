import { createRequire } from 'node:module'
import { readFileSync, readdirSync } from 'node:fs'
import { getHttpOperationsFromSpec } from '@stoplight/prism-http'
import { describe, expect, it } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { compareContract } from '../../scripts/contract/compare.ts'
import { SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../../src/extensions/sandbox/index.ts'

type Ajv = new (options: object) => { compile: (schema: object) => (value: unknown) => boolean }
const { default: Ajv } = createRequire(import.meta.resolve('@stoplight/prism-http'))('ajv/dist/2020.js') as {
  default: Ajv
}
const folder = new URL('../../docs/specs/', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, folder), 'utf8')
const parse = (path: string): Record<string, unknown> => JSON.parse(read(path)) as Record<string, unknown>

describe('docs/specs', () => {
  it('openapi.json is the contract, and names no sandbox', () => {
    expect(compareContract(parse('openapi.json'))).toEqual([])
    expect(read('openapi.json')).not.toContain('sandbox')
  })

  it('openapi.json is read by another program, with each operation and its server', async () => {
    const found = await getHttpOperationsFromSpec(parse('openapi.json'))
    const keyOf = ({ method, path }: { method: string; path: string }) => `${method.toUpperCase()} ${path}`
    expect(found.map(keyOf).sort()).toEqual(operations.map(keyOf).sort())
    for (const { servers } of found)
      expect(servers?.map(({ url }) => url)).toEqual(['https://api.example.com/v1'])
  })

  it('schemas are valid JSON Schema, and accept records of the sandbox but no others', async () => {
    const ajv = new Ajv({ strict: true, allowUnionTypes: true, formats: { int64: true } })
    const files = readdirSync(new URL('schemas/', folder))
    const validators = new Map(files.map((file) => [file, ajv.compile(parse(`schemas/${file}`))]))
    const client = new SocialSearch(createSandbox().clientOptions())
    const { posts } = await client.microblog.search({ query: 'coffee' })
    const found = await client.professionalnet.posts.search({ query: 'coffee' })
    const records = { microblogPost: posts, professionalnetPost: found.posts }
    for (const [name, values] of Object.entries(records)) {
      const accepts = validators.get(`${name}.json`)
      expect(values.map((value) => accepts?.(value))).toEqual(values.map(() => true))
      expect(accepts?.({})).toBe(false)
    }
  })

  it('the Bruno collection has a request for each operation, which a sandbox answers', async () => {
    const sandbox = createSandbox({ limits: { perMinute: false } })
    const vars: Record<string, string> = { ...varsOf(read('bruno/environments/sandbox.bru')) }
    expect(vars).toEqual({ baseUrl: 'http://127.0.0.1:4010/v1', apiKey: sandbox.apiKey })
    const fill = (text: string) => text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => vars[name] ?? '')
    const answered: Record<string, number> = {}
    for (const { id, method, documented } of operations) {
      const text = read(`bruno/${id}.bru`)
      expect(text).toContain(`${method.toLowerCase()} {\n  url: {{baseUrl}}`)
      if (!documented) continue
      const url = fill(/(?<=url: ).*/.exec(text)?.[0] ?? '').replace(vars['baseUrl'] ?? '', sandbox.baseUrl)
      const body = fill(/(?<=body:json \{\n)[^]*?(?=\n\}\n)/.exec(text)?.[0] ?? '') || undefined
      const headers = { authorization: `Bearer ${vars['apiKey']}`, 'content-type': 'application/json' }
      const response = await sandbox.fetch(new Request(url, { method, headers, ...(body && { body }) }))
      answered[id] = response.status
      const { posts } = (await response.json()) as { posts?: { share_url: string }[] }
      if (text.includes('postUrl: res.body.posts[0].share_url')) vars['postUrl'] = posts?.[0]?.share_url ?? ''
    }
    expect(new Set(Object.values(answered))).toEqual(new Set([200]))
    expect(Object.keys(answered)).toHaveLength(operations.filter(({ documented }) => documented).length)
  })
})

/** The entries of the block `vars`. */
function varsOf(text: string): Record<string, string> {
  const block = /^vars \{\n([^]*?)^\}/m.exec(text)?.[1] ?? ''
  return Object.fromEntries(
    [...block.matchAll(/^ {2}(\w+): (.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )
}
