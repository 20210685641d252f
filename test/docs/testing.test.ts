import ts from 'typescript'
import * as vitest from 'vitest'
import { entryPoints } from '../../scripts/entry-points.ts'
import { samplesOf } from './samples.ts'

const entries = new Map(entryPoints.map(({ path, source }) => [path, source]))

async function load(specifier: string): Promise<object> {
  if (specifier === 'vitest') return vitest
  return (await import(new URL(`../../${entries.get(specifier)}`, import.meta.url).href)) as object
}

/** The others need packages that are not installed here: `npm run apps` runs them. */
const samples = samplesOf('docs/testing.md').filter((sample) => !sample.includes('msw'))
vitest.test('docs/testing.md has samples', () => vitest.expect(samples.length).toBeGreaterThan(1))

// Each registers its own tests.
for (const sample of samples) {
  const script = sample.replaceAll(/^import (\{.*\}) from (.*)$/gm, 'const $1 = await load($2)')
  const AsyncFunction = (async () => {}).constructor as new (
    name: string,
    body: string,
  ) => (from: typeof load) => Promise<void>
  await new AsyncFunction('load', ts.transpile(script, { target: ts.ScriptTarget.ESNext }))(load)
}
