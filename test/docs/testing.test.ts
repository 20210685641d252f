import ts from 'typescript'
import * as vitest from 'vitest'
import { entryPoints } from '../../scripts/entry-points.ts'
import { runProgram } from './run.ts'
import { samplesOf } from './samples.ts'

const entries = new Map(entryPoints.map(({ path, source }) => [path, source]))

async function load(specifier: string): Promise<object> {
  if (specifier === 'vitest') return vitest
  if (specifier.startsWith('social-search-sdk/sandbox')) return import('../support/sandbox.ts')
  return (await import(new URL(`../../${entries.get(specifier)}`, import.meta.url).href)) as object
}

const samples = samplesOf('docs/testing.md')
// Random waits are zero.
vitest.beforeEach(() => void vitest.vi.spyOn(Math, 'random').mockReturnValue(0))
vitest.afterEach(() => void vitest.vi.restoreAllMocks())

const isForNode = (sample: string) => sample.includes("from 'node:test'")
vitest.test('docs/testing.md has samples', () => vitest.expect(samples.length).toBeGreaterThan(3))

vitest.test('docs/testing.md has a sample for node:test that passes', async () => {
  const { stdout } = await runProgram(samples.find(isForNode) ?? '')
  vitest.expect(stdout).toMatch(/pass 1\b/)
})

// Each registers its own tests. The one that serves waits for a second of real time; `npm run apps` runs it.
for (const sample of samples.filter((each) => !isForNode(each) && !each.includes('serveSandbox('))) {
  const script = sample.replaceAll(/^import (\{.*\}) from (.*)$/gm, 'const $1 = await load($2)')
  const AsyncFunction = (async () => {}).constructor as new (
    name: string,
    body: string,
  ) => (from: typeof load) => Promise<void>
  await new AsyncFunction('load', ts.transpile(script, { target: ts.ScriptTarget.ESNext }))(load)
}
