import { describe, expect, it } from 'vitest'
import type { Grant } from '../../src/extensions/shared/limiter-grants.ts'
import {
  type Moment,
  type ProcessState,
  closed,
  ended,
  failed,
  giveBack,
  newProcess,
  nextUpdateAt,
  replied,
  reportOf,
} from '../../src/extensions/shared/limiter-process.ts'

const a = ':a'
const rules = { inFlight: 2, perMinute: 20, windowMs: 60_020, leaseMs: 15_000 }

/** @param length The calls that wait at the surface. */
const at = (now: number, length = 1, closedMs = 0): Moment => ({
  ...{ now, rules, slowestMs: 1000 },
  queues: new Map([[a, { length, closedMs }]]),
})

function afterReply(own: ProcessState, grant: Partial<Grant> | undefined, moment: Moment, tookMs = 10) {
  const grants = new Map(grant && [[a, { requests: 0, slots: 0, ...grant } as Grant]])
  return replied(own, { grants, tookMs, reporter: own, reported: own.reported }, 0, moment)
}

/** A process that has a slot for so many requests, until 110 ms. */
const granted = (requests: number) => afterReply(newProcess(false), { requests, slots: 1 }, at(100))
const asking = (own: ProcessState, moment: Moment) => reportOf(own, 'me', 0, 's', moment).report.waiting
const slotReason = { waitReason: { reason: 'slot', ms: 5000 } } as const

describe('a process that shares limits', () => {
  it('gives a slot back when a 429 has closed its surface, and asks for none before others know', () => {
    const own = giveBack(granted(1), at(105, 1, 5000))
    expect([own.slots, asking(own, at(105)).size, nextUpdateAt(own, 0, at(105))]).toEqual([0, 0, 105])
    expect(asking(afterReply(own, undefined, at(106)), at(106)).get(a)).toBe(1)
  })

  it('passes its slot on with the end of a request, once it may keep it no longer', () => {
    const own = { ...granted(1), inFlight: 1 }
    expect(ended(own, 5, at(109)).slots).toBe(1)
    expect(ended(own, 5, at(110)).slots).toBe(0)
  })

  it('keeps slots for about as long as it takes to get one: a slow reply counts as twice the one before', () => {
    const own = afterReply(granted(1), { slots: 1 }, at(2000), 1000)
    expect(own.keepsSlotsUntil).toBe(2020)
  })

  it('looks for a slot less and less often, up to each second, until it has had one', () => {
    let [own, now] = [newProcess(false), 0]
    const pauses = Array.from({ length: 12 }, () => {
      own = afterReply(own, slotReason, at(now))
      const pause = nextUpdateAt(own, now, at(now)) - now
      now += pause
      return Math.round(pause)
    })
    expect([pauses.slice(0, 4), pauses.at(-1)]).toEqual([[25, 38, 56, 84], 1000])
    own = afterReply(afterReply(own, { slots: 1 }, at(now)), slotReason, at(now))
    expect(nextUpdateAt({ ...own, slots: 0 }, now, at(now)) - now).toBe(25)
  })

  it('gives up its place when its calls have left', () => {
    const own = afterReply(newProcess(false), { waitReason: { reason: 'pace', ms: 500 } }, at(0))
    expect(nextUpdateAt(own, 0, at(10, 0))).toBe(500)
  })

  it('asks again at once when the store is back', () => {
    const own = afterReply(newProcess(true), slotReason, at(0))
    expect(nextUpdateAt(own, 0, at(10))).toBe(1000)
    expect(nextUpdateAt(failed(own), 0, at(10))).toBe(10)
  })

  it('tells others of a 429 until they know, and of the later end of two', () => {
    const ends = (own: ProcessState) => reportOf(own, 'me', 0, 's', at(20)).report.closures
    const reporter = closed(closed(newProcess(true), a, 1000, at(0)), a, 100, at(10))
    expect(ends(reporter)).toEqual([[a, 1000]])
    const reply = { grants: new Map(), tookMs: 5, reporter, reported: reporter.reported }
    expect(ends(replied(reporter, reply, 0, at(20)))).toEqual([])
    // It came while they were told of the one before.
    expect(ends(replied(closed(reporter, a, 5000, at(15)), reply, 0, at(20)))).toEqual([[a, 5015]])
  })
})
