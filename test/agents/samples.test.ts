import { expect, it } from 'vitest'
import { samplesOf, session } from '../docs/samples.ts'
import { languageServiceFor } from '../support/typescript.ts'

it('docs/agents.md has samples that compile, with nothing but their own text', () => {
  // In this folder, where the frameworks are installed.
  const samples = samplesOf('docs/agents.md').map(
    (text, index) => [`agents/sample.${index}.ts`, `${text}\nexport {}`] as const,
  )
  const { errorsOf } = languageServiceFor(new Map([['agents/session.ts', session], ...samples]))
  expect(samples.length).toBeGreaterThan(3)
  expect(samples.map(([file]) => errorsOf(file))).toEqual(samples.map(() => []))
})
