import { describe, expect, it } from 'vitest'
import { ask, copies, granted, quietMs, setText, takeSlots, tell, text } from './processes.ts'

describe('changeState() restores what the store has lost', () => {
  it('when it is empty: slots, requests and closures, and grants nothing for some time', () => {
    ask('1', 0, { surface: '' })
    tell('4', 5, { places: [['', 5]] })
    tell('3', 10, { closures: [[':b', 50_000]] })
    setText(undefined)
    // Its copy has an earlier time.
    const restored = tell('3', 1000, { asks: [{}] })
    expect(restored.hasBegun).toBe(true)
    expect(restored.outcomes.get(':a')).toMatchObject({ reason: 'quiet', ms: quietMs })
    expect(restored.called).toEqual([])
    expect(restored.state.processes).toMatchObject({ 1: { slots: 1 }, 4: { places: { '': { since: 5 } } } })
    expect(restored.state.closures).toEqual({ ':b': 50_000 })
  })

  it('when it has an older text, in a new epoch', () => {
    tell('1', 0)
    const older = text
    ask('1', 10)
    setText(older)
    const { state, hasBegun } = tell('1', 20, { arrivals: [[':a', [1010]]] })
    expect([hasBegun, state.epoch]).toEqual([true, 'epoch 2'])
    expect(state.quietUntil).toBe(20 + quietMs)
    expect(tell('1', 30).state.epoch).toBe('epoch 2')
  })

  it('from each process that has seen the lost state, also after another one has begun an epoch', () => {
    takeSlots()
    ask('3', 10)
    setText(undefined)
    expect(ask('4', 20)).toMatchObject(granted)
    const { state, hasBegun } = tell('3', 30)
    expect(hasBegun).toBe(false)
    // A process that knows no time begins it anew.
    expect(state.quietUntil).toBe(quietMs)
    expect(state.processes).toMatchObject({ 1: { slots: 1 }, 2: { slots: 1 }, 4: { slots: 1 } })
    expect(state.version).toBeGreaterThan(copies.get('2')!.version)
  })

  it('and keeps the later part of a process', () => {
    tell('1', 0, { slots: 1 })
    tell('2', 10)
    setText(undefined)
    tell('1', 20, { arrivals: [[':a', [20]]] })
    expect(tell('2', 30).state.processes['1']).toMatchObject({ slots: 0, arrivals: { ':a': [20] } })
  })
})
