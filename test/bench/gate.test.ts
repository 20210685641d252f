import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Gate, type Refusal } from '../../bench/simulate/gate.ts'
import type { WindowKind } from '../../bench/simulate/windows.ts'

const phase = 7_000
const surface = 'microblog'

interface Seen {
  at: number
  refusal: Refusal | null
}

/** Lets requests arrive that leave at once, so that only the window counts. */
function arriveAt(times: readonly number[], kind: WindowKind, countsRejects = false): Seen[] {
  const gate = new Gate(countsRejects, kind, phase)
  return times.map((at) => {
    const refusal = gate.arrive(surface, at, 'own')
    if (refusal === null) gate.leave('own')
    return { at, refusal }
  })
}

const burst = (count: number, at = 0): number[] => Array.from({ length: count }, () => at)

/** Arrivals in order, many of them a whole number of seconds apart, so that edges of windows are hit. */
const arrivals = fc
  .array(fc.oneof(fc.nat(5_000), fc.constantFrom(0, 0, 1, 1_000, 3_000, 59_999, 60_000)), {
    minLength: 30,
    maxLength: 150,
  })
  .map((gaps) => {
    let at = 0
    return gaps.map((gap) => (at += gap))
  })

const countedBefore = (seen: readonly Seen[], countsRejects: boolean): number[] =>
  seen.filter(({ refusal }) => countsRejects || refusal === null).map(({ at }) => at)

describe('Gate', () => {
  it.each([false, true])('arrive() admits at most 20 in any 60 s when rejects count: %s', (countsRejects) => {
    fc.assert(
      fc.property(arrivals, (times) => {
        const seen = arriveAt(times, 'sliding', countsRejects)
        seen.forEach(({ at, refusal }, index) => {
          const counted = countedBefore(seen.slice(0, index), countsRejects)
          const inWindowAt = (time: number) => counted.filter((other) => other > time - 60_000).length
          expect(refusal === null).toBe(inWindowAt(at) < 20)
          if (refusal === null) return
          let seconds = 1
          while (inWindowAt(at + seconds * 1000) >= 20) seconds++
          expect(refusal.retryAfter).toBe(seconds)
        })
      }),
    )
  })

  it('arrive() closes a fixed window until its end', () => {
    fc.assert(
      fc.property(arrivals, (times) => {
        const seen = arriveAt(times, 'fixed')
        const windowOf = (at: number) => Math.floor((at - phase) / 60_000)
        seen.forEach(({ at, refusal }, index) => {
          const admitted = countedBefore(seen.slice(0, index), false)
          const used = admitted.filter((other) => windowOf(other) === windowOf(at)).length
          expect(refusal === null).toBe(used < 20)
          if (refusal === null) return
          const end = (windowOf(at) + 1) * 60_000 + phase
          expect(refusal.retryAfter).toBe(Math.ceil((end - at) / 1000))
        })
      }),
    )
  })

  it('arrive() takes tokens from a bucket of 20 that gets one every 3 s', () => {
    const seen = arriveAt(
      [...burst(21), 2_999, 3_000, 3_000, 60_000, ...burst(20, 180_000), 180_000],
      'bucket',
    )
    const refusals = seen.map(({ refusal }) => refusal?.retryAfter ?? null)
    expect(refusals.slice(0, 20)).toEqual(burst(20).map(() => null))
    expect(refusals.slice(20, 25)).toEqual([3, 1, null, 3, null])
    expect(refusals.slice(25)).toEqual([...burst(20).map(() => null), 3])
  })

  it('arrive() admits at most 2 in flight, over all surfaces', () => {
    const gate = new Gate(false, 'sliding', phase)
    expect(gate.arrive('microblog', 0, 'own')).toBeNull()
    expect(gate.arrive('technews', 0, 'own')).toBeNull()
    expect(gate.arrive(surface, 0, 'own')).toEqual({ retryAfter: 1, cause: 'in-flight' })
    gate.leave('own')
    expect(gate.arrive(surface, 0, 'own')).toBeNull()
  })

  it('arrive() blames the foreign load when our own requests would have passed', () => {
    const crowded = new Gate(false, 'sliding', phase)
    crowded.arrive(surface, 0, 'foreign')
    crowded.arrive(surface, 0, 'own')
    expect(crowded.arrive(surface, 0, 'own')?.cause).toBe('foreign')

    const busy = new Gate(false, 'sliding', phase)
    const admit = (sender: 'own' | 'foreign', at: number) => {
      expect(busy.arrive(surface, at, sender)).toBeNull()
      busy.leave(sender)
    }
    admit('foreign', 0)
    for (let count = 0; count < 19; count++) admit('own', 1)
    expect(busy.arrive(surface, 2, 'own')?.cause).toBe('foreign')
    admit('own', 60_000)
    expect(busy.arrive(surface, 60_000, 'own')?.cause).toBe('pace')
  })

  it('arrive() counts each surface for itself', () => {
    const gate = new Gate(false, 'sliding', phase)
    for (const at of burst(20)) {
      gate.arrive('microblog', at, 'own')
      gate.leave('own')
    }
    expect(gate.arrive('microblog', 0, 'own')).not.toBeNull()
    expect(gate.arrive('technews', 0, 'own')).toBeNull()
  })
})
