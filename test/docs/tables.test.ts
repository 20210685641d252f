import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { SocialSearch, isSocialSearchError } from '../../src/index.ts'
import { createSandbox } from '../support/sandbox.ts'
import { settle, virtualTime } from '../support/clock.ts'
import { pages } from './samples.ts'

virtualTime()

const rows = [
  ...(pages.get('docs/testing.md') ?? '').matchAll(/^\| `(\{.*\})` +\| `(\w+)` +\| `(\w+)` +\|$/gm),
].map(([, fault = '', name = '', charged = '']) => ({ fault, name, charged }))

it('docs/testing.md has a table of injected failures', () => expect(rows.length).toBeGreaterThan(5))

it.each(rows)('docs/testing.md is right that $fault gives a $name', async ({ fault, name, charged }) => {
  const sandbox = createSandbox()
  sandbox.inject({ ...(runInNewContext(`(${fault})`) as object) })
  const client = new SocialSearch({ ...sandbox.clientOptions(), timeout: 100 })
  const { error } = await settle(client.microblog.search({ query: 'coffee' }))
  expect(isSocialSearchError(error) && [error.name, error.charged]).toEqual([name, charged])
})
