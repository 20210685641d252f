import { inject } from 'vitest'

/** One of several, another one with each commit. */
export const ofCommit = <T>(choices: readonly T[], place = 0): T =>
  choices[((inject('seed') ?? 0) + place) % choices.length]!
