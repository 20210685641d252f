import { describe, expect, it } from 'vitest'
import {
  ask,
  copies,
  granted,
  restoreMs,
  setText,
  takeSlots,
  update,
  text,
  useProcesses,
} from './processes.ts'

useProcesses()

const everyone = ['*', 0]

describe('changeState() restores what the store has lost', () => {
  it('when it is empty: slots, requests and closures, and grants nothing for some time', () => {
    ask('1', 0, { surface: '' })
    ask('4', 5, { surface: '' }, { slots: 1 })
    update('3', 10, { closures: [[':b', 50_000]] })
    setText(undefined)
    // Its copy has an earlier time.
    const restored = update('3', 1000, { asks: [{}] })
    expect(restored.wakeUps).toEqual([everyone])
    expect(restored.grants.get(':a')?.waitReason).toMatchObject({ reason: 'restoring', ms: restoreMs })
    expect(restored.state.processes).toMatchObject({
      1: { slots: 1 },
      4: { slots: 1, places: { '': { since: 5 } } },
    })
    expect(restored.state.closures).toEqual({ ':b': 50_000 })
    // Others may still restore what only they know.
    expect(ask('5', 3999)).toEqual({ reason: 'restoring', ms: 1 })
    expect(ask('5', 4000)).toMatchObject({ reason: 'slot' })
  })

  it('when it has an older text, in a new state', () => {
    update('1', 0)
    const older = text
    ask('1', 10)
    setText(older)
    const { state, wakeUps } = update('1', 20, { arrivals: [[':a', [1010]]] })
    expect([wakeUps, state.stateId]).toEqual([[everyone], 'state 3'])
    expect(state.grantsFrom).toBe(20 + restoreMs)
    expect(update('1', 30).state.stateId).toBe('state 3')
  })

  it('from each process that has seen the lost state, also after another one has begun a new state', () => {
    takeSlots()
    ask('3', 10)
    setText(undefined)
    expect(ask('4', 20)).toEqual({ reason: 'restoring', ms: 200 })
    expect(ask('4', 220)).toMatchObject(granted)
    const { state, wakeUps } = update('3', 230)
    expect(wakeUps).toEqual([])
    // A process that knows no time begins it anew.
    expect(state.grantsFrom).toBe(restoreMs)
    expect(state.processes).toMatchObject({ 1: { slots: 1 }, 2: { slots: 1 }, 4: { slots: 1 } })
    expect(state.version).toBeGreaterThan(copies.get('2')!.version)
  })

  it('and stores it, also when nothing else has changed', () => {
    takeSlots()
    setText(undefined)
    ask('4', 20)
    expect(update('2', 30, { slots: 1 }).isChanged).toBe(true)
  })

  it('and keeps the later part of a process', () => {
    update('1', 0, { slots: 1 })
    update('2', 10)
    setText(undefined)
    update('1', 20, { arrivals: [[':a', [20]]] })
    expect(update('2', 30).state.processes['1']).toMatchObject({ slots: 0, arrivals: { ':a': [20] } })
  })
})
