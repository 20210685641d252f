import { beforeEach, afterEach, describe, expect, it, vi } from 'vitest'
import { SharedState } from '../../src/weblocks/shared-state.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

const share = { id: 'share', inFlight: 2, perMinute: 4 }
const grant = (call: string) =>
  ({ kind: 'grant', leader: 'first', tabId: 'tab', call, surface: 'a', share, paced: 0 }) as const

/** Two tabs that have heard of a grant. */
function twoTabs() {
  const tabs = [new SharedState(60_000), new SharedState(60_000)] as const
  for (const tab of tabs) tab.apply(grant('call'))
  vi.advanceTimersByTime(100)
  return tabs
}

describe('SharedState.merge()', () => {
  it('merges that a request has ended, and never that it is still open', () => {
    const [one, other] = twoTabs()
    one.apply({ kind: 'release', call: 'call' })
    one.merge(other.snapshot())
    expect(one.grants[0]?.open).toBe(false)
    other.merge(one.snapshot())
    expect(other.grants[0]?.open).toBe(false)
  })

  it('merges when a request was sent, and when its response came', () => {
    const [one, other] = twoTabs()
    const sentAt = performance.now()
    one.apply({ kind: 'sent', call: 'call' })
    vi.advanceTimersByTime(50)
    one.apply({ kind: 'answered', call: 'call', date: null })
    for (const [to, from] of [
      [one, other],
      [other, one],
    ] as const) {
      to.merge(from.snapshot())
      expect(to.grants[0]).toMatchObject({ at: sentAt, answered: sentAt + 50 })
    }
  })
})

describe('SharedState.apply()', () => {
  it('closes a surface for a day at most, with any announced wait', () => {
    const state = new SharedState(60_000)
    state.apply({ kind: 'hold', surface: 'a', ms: 366 * 86_400_000 })
    expect(state.holds).toEqual([{ surface: 'a', remaining: 86_400_000, probe: null }])
  })

  it('opens a surface when its probe has ended, not when another request has', () => {
    const state = new SharedState(60_000)
    state.apply(grant('before'))
    state.apply({ kind: 'hold', surface: 'a', ms: 100 })
    vi.advanceTimersByTime(100)
    state.apply(grant('probe'))
    state.apply({ kind: 'release', call: 'before' })
    expect(state.holds).toEqual([{ surface: 'a', remaining: 0, probe: 'probe' }])
    state.apply({ kind: 'release', call: 'probe' })
    expect(state.holds).toEqual([])
  })
})
