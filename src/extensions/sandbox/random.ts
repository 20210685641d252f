/** Random numbers that are the same for the same seed, on every runtime. */
export type Random = ReturnType<typeof createRandom>

/**
 * Mulberry32, seeded from a text so that each purpose has its own sequence: drawing one number more for the
 * latency must not change the posts.
 */
export function createRandom(seed: string) {
  let state = hash(seed) >>> 0

  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  return {
    /** A number from 0 up to, but not including, 1. */
    next,
    /** An integer between two bounds, both included. */
    integer: (min: number, max: number): number => min + Math.floor(next() * (max - min + 1)),
    /** True with the given probability. */
    chance: (probability: number): boolean => next() < probability,
    /** One of some items; there must be one. */
    pick: <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)] as T,
    /**
     * A number whose typical value is near the given one and whose rare values are a hundred times as large. Made with
     * division alone: logarithms and powers differ in the last digit between JavaScript engines.
     */
    longTail: (typical: number): number => Math.floor((typical * 0.5) / (next() + 0.004)),
    /** Lower-case hexadecimal digits. */
    hex: (length: number): string =>
      Array.from({ length }, () => Math.floor(next() * 16).toString(16)).join(''),
  }
}

/** A 53-bit hash of a text (cyrb53). It detects mistakes, not forgeries. */
export function hash(text: string): number {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    high = Math.imul(high ^ unit, 2654435761)
    low = Math.imul(low ^ unit, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return 4_294_967_296 * (2_097_151 & low) + (high >>> 0)
}
