import { expect, it } from 'vitest'
import { given, moduleOf, samplesOf } from '../docs/samples.ts'
import { languageServiceFor } from '../support/typescript.ts'

const models = `
import type { BaseChatModel } from '@langchain/core/language_models/chat_models'
import type { LanguageModel } from 'ai'
declare global {
  const model: LanguageModel, chatModel: BaseChatModel
}
`

it('docs/agents.md has samples that compile', () => {
  // In this folder, where the frameworks are installed.
  const samples = samplesOf('docs/agents.md').map(
    (text, index) => [`agents/sample.${index}.ts`, text] as const,
  )
  const modules = samples.map(([file, text]) => [file, moduleOf(text)] as const)
  const { errorsOf } = languageServiceFor(
    new Map([['agents/given.ts', given], ['agents/models.ts', models], ...modules]),
  )
  expect(samples.length).toBeGreaterThan(3)
  expect(samples.map(([file]) => errorsOf(file))).toEqual(samples.map(() => []))
})
