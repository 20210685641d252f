import { expect, it } from 'vitest'
import { roughDuration } from '../../src/lib/count.ts'

it.each([
  [0, '0 seconds'],
  [1999, '1 second'],
  [119_000, '119 seconds'],
  [120_000, '2 minutes'],
  [7_199_000, '119 minutes'],
  [7_200_000, '2 hours'],
  [172_800_000, '2 days'],
])('roughDuration() writes %i milliseconds as %s', (ms, text) => {
  expect(roughDuration(ms)).toBe(text)
})
