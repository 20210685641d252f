/** `Math.random()` gives each test the same numbers on each run of `npm test`. Separate suites have a seed of the commit. */
import { beforeEach, inject } from 'vitest'

const seed = inject('seed') ?? 1

beforeEach(() => {
  let state = seed
  // mulberry32
  Math.random = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
})
