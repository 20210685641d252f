import { expect, it } from 'vitest'
import { durationText } from '../../src/lib/count.ts'

it.each([
  [0, '0 s'],
  [1001, '2 s'],
  [60_001, '1 min'],
  [119_000, '2 min'],
  [7_140_000, '1 h 59 min'],
  [7_200_000, '2 h'],
  [172_800_000, '2 days'],
])('durationText() writes %i milliseconds as %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})
