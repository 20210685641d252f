import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ablations, edited } from '../../bench/simulate/ablations.ts'

it.each(ablations)('edited() takes "$name" out of $file', (ablation) => {
  const source = readFileSync(new URL(`../../src/${ablation.file}`, import.meta.url), 'utf8')
  expect(edited(ablation, source)).not.toBe(source)
})

it('edited() throws when the source has changed', () => {
  const [ablation] = ablations
  if (ablation !== undefined) expect(() => edited(ablation, 'another source')).toThrow('not once in')
})
