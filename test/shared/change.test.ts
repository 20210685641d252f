import { describe, expect, it } from 'vitest'
import { ask, copies, granted, setText, takeSlots, update, text, useProcesses } from './processes.ts'

useProcesses()

describe('changeState() grants slots', () => {
  it('as many as requests may be in flight, and says why the next call waits when the last is taken', () => {
    expect(ask('1', 0)).toEqual(granted)
    const next = { reason: 'slot', ms: 15_000 - 10 }
    expect(ask('2', 10, { calls: 2 })).toEqual({ ...granted, next })
    expect(ask('3', 20)).toEqual({ reason: 'slot', ms: 14_980 })
  })

  it('until the last free one is taken, also to one process that asks twice', () => {
    const { grants } = update('1', 0, {
      asks: [{ surface: ':a' }, { surface: ':b' }, { surface: '' }],
    })
    const slot = { reason: 'slot', ms: 15_000 }
    expect([...grants.values()]).toEqual([
      ...[1, 1].map((requests) => ({ requests, slots: 1 })),
      { requests: 0, slots: 0, waitReason: slot },
    ])
  })

  it('to the process that has waited longest, to which they are offered', () => {
    takeSlots()
    ask('3', 10, { surface: '' })
    ask('4', 20, { surface: '' })
    const released = update('1', 30)
    expect(released).toMatchObject({
      wakeUps: [
        ['3', 0],
        ['4', 200],
      ],
    })
    expect(ask('4', 40, { surface: '' })).toEqual({
      reason: 'turn',
      ms: 200,
    })
    expect(ask('3', 60, { surface: '' })).toMatchObject(granted)
  })

  it('to the next process only when the first one has had the time that it needs', () => {
    takeSlots()
    ask('3', 10, { surface: '' }, { offerMs: 900 })
    ask('4', 20, { surface: '' })
    expect(update('1', 30)).toMatchObject({
      wakeUps: [
        ['3', 0],
        ['4', 900],
      ],
    })
    expect(ask('4', 529, { surface: '' })).toMatchObject({ reason: 'turn', ms: 401 })
    expect(ask('4', 929, { surface: '' })).toMatchObject({ reason: 'turn', ms: 200 })
    expect(ask('4', 930, { surface: '' })).toMatchObject(granted)
  })

  it('does not take away the turn of processes to which no slot has been offered', () => {
    takeSlots()
    ask('3', 10, { surface: '' })
    ask('4', 20, { surface: '' })
    update('1', 30)
    update('2', 500)
    expect(ask('5', 600, { surface: '' })).toMatchObject(granted)
    expect(ask('6', 610, { surface: '' })).toMatchObject({ reason: 'turn' })
    expect(ask('4', 620, { surface: '' })).toMatchObject(granted)
  })

  it('keeps the place of a process whose offer has ended when it is that process that asks', () => {
    takeSlots()
    ask('3', 10, { surface: '' })
    update('1', 30)
    expect(ask('3', 900, { surface: '' })).toMatchObject(granted)
  })

  it('offers a slot again when it was taken meanwhile', () => {
    takeSlots()
    ask('3', 10, { surface: '' })
    expect(update('1', 20).wakeUps).toContainEqual(['3', 0])
    expect(update('1', 30).wakeUps).toEqual([])
    // A process that was thought dead has its slot back.
    update('1', 240, { slots: 1 })
    expect(update('1', 250).wakeUps).toContainEqual(['3', 0])
  })

  it('keeps a process with further calls in line, behind those that wait', () => {
    takeSlots()
    ask('3', 10, { surface: '', calls: 2 })
    ask('4', 20, { surface: '' })
    update('1', 30)
    expect(ask('3', 40, { surface: '', calls: 2 })).toMatchObject(granted)
    expect(update('2', 50)).toMatchObject({
      wakeUps: [
        ['4', 0],
        ['3', 200],
      ],
    })
  })

  it('keeps a process that takes up its offer before those that came after the offer', () => {
    takeSlots()
    ask('3', 10, { surface: '', calls: 2 })
    update('1', 20)
    ask('4', 30, { surface: '' })
    expect(ask('3', 40, { surface: '', calls: 2 })).toMatchObject(granted)
    expect(update('2', 50).wakeUps).toEqual([
      ['3', 0],
      ['4', 200],
    ])
  })

  it('puts a process that takes a slot without an offer behind those that wait', () => {
    takeSlots()
    ask('3', 10, { surface: '', calls: 2 })
    ask('4', 20, { surface: '' })
    // The slots of both dead processes are free.
    expect(ask('3', 15_005, { surface: '', calls: 2 })).toEqual({
      ...granted,
      next: { reason: 'turn', ms: 200 },
    })
  })

  it('removes a process without further calls from the line', () => {
    takeSlots()
    ask('3', 10, { surface: '' })
    update('1', 30)
    expect(ask('3', 40, { surface: '' })).toMatchObject(granted)
    expect(update('2', 50)).toMatchObject({ wakeUps: [] })
  })

  it('of a silent process to others after its lease, and its place', () => {
    for (const process of ['1', '2']) ask(process, 0)
    ask('3', 10, { surface: ':b' }, { arrivals: [[':b', [10]]] })
    expect(ask('4', 14_999, { surface: '' })).toMatchObject({ reason: 'slot' })
    expect(ask('5', 15_010, { surface: '' })).toEqual(granted)
  })

  it('to the calls of one process in turns, as many as are free', () => {
    const asks = [{ calls: 5 }, { surface: ':b', calls: 5 }]
    const grants = (at: number, slots = 0) =>
      Array.from(update('1', at, { slots, asks }).grants.values(), ({ requests }) => requests)
    expect(grants(0)).toEqual([1, 1])
    expect(ask('2', 10, { surface: '', calls: 5 })).toMatchObject({ reason: 'slot' })
    expect(update('1', 20).wakeUps).toEqual([['2', 0]])
    expect(ask('2', 30, { surface: '', calls: 5 })).toMatchObject({ ...granted, count: 2 })
  })

  it.each([
    [9, 6],
    [5, 5],
  ])(
    'for several of %i requests, as many as the process sends before another one would send',
    (calls, count) => {
      expect(ask('1', 0, { surface: '', calls }, { requestsPerSlot: 3 })).toMatchObject({ ...granted, count })
      expect(copies.get('1')!.processes['1']!.slots).toBe(2)
    },
  )

  it('to nobody while more are in flight than allowed', () => {
    takeSlots()
    for (const process of ['3', '4', '5']) ask(process, 10, { surface: '' })
    // A process that was thought dead has its slots back.
    expect(update('1', 20, { slots: 2 }).wakeUps).toEqual([])
  })

  it('and says when the next lease of a process with a slot ends', () => {
    update('9', 0, { arrivals: [[':a', [10]]] })
    takeSlots(100)
    expect(ask('3', 200, { surface: '' })).toMatchObject({ reason: 'slot', ms: 14_900 })
  })
})

describe('changeState() forgets', () => {
  it('a process whose requests no longer count', () => {
    update('1', 0, { arrivals: [[':a', [10]]] })
    expect(update('1', 60_000).state.processes).toHaveProperty('1')
    expect(update('1', 60_100).state.processes).toEqual({})
  })
})

describe('changeState() closes a surface', () => {
  it('until the latest time that a process announces, and no other surface', () => {
    expect(update('1', 0, { closures: [[':a', 3000]] }).wakeUps).toEqual([['*', 0]])
    for (const openAt of [5000, 100]) update('1', 10, { closures: [[':a', openAt]] })
    expect(ask('2', 20)).toEqual({ reason: 'closed', ms: 4980 })
    expect(ask('3', 30, { surface: ':b' })).toMatchObject(granted)
    expect(ask('2', 5000)).toMatchObject(granted)
    expect(copies.get('2')!.closures).toEqual({})
  })

  it('and offers slots to processes at other surfaces', () => {
    takeSlots()
    ask('3', 10)
    ask('4', 20, { surface: ':b' })
    ask('3', 30, {}, { closures: [[':a', 5000]] })
    expect(update('1', 40).wakeUps).toContainEqual(['4', 0])
  })
})

describe('changeState() changes nothing', () => {
  const waits = { asks: [{ surface: '' }] }

  it('when a process is refused again, until its lease is due', () => {
    takeSlots()
    expect(update('3', 10, waits).isChanged).toBe(true)
    for (const at of [20, 100, 5009])
      expect(update('3', at, waits)).toMatchObject({ isChanged: false, wakeUps: [] })
    expect(update('3', 5010, waits).isChanged).toBe(true)
  })

  it('when a process needs another time to take a slot', () => {
    takeSlots()
    update('3', 10, waits)
    expect(update('3', 20, { ...waits, offerMs: 500 }).isChanged).toBe(false)
  })

  it('when a process updates that has nothing to report', () => {
    takeSlots()
    expect(update('3', 10).isChanged).toBe(false)
    expect(text).not.toContain('"3"')
  })
})

describe('changeState() changes the text', () => {
  it('when the lease of a process with a request in flight is due', () => {
    update('1', 0, { slots: 1 })
    expect(update('1', 4000, { slots: 1 }).isChanged).toBe(false)
    expect(update('1', 5000, { slots: 1 }).isChanged).toBe(true)
  })

  it('and renews the lease of the process then', () => {
    update('1', 0, { slots: 1 })
    const { isChanged, state } = update('1', 4000, { slots: 2 })
    expect([isChanged, state.processes['1']?.until]).toEqual([true, 19_000])
  })

  it('when there was none', () => {
    setText(undefined)
    expect(update('1', 0).isChanged).toBe(true)
  })

  it('not when a process reports a closure that is over', () => {
    expect(update('1', 5000, { closures: [[':a', 4000]] }).isChanged).toBe(false)
  })
})

describe('changeState() begins anew', () => {
  it.each(['', 'null', '[]', '{'])('when the store has another text than a state: %j', (other) => {
    setText(other)
    expect(ask('1', 0)).toEqual({ reason: 'restoring', ms: 200 })
    expect(ask('1', 200)).toMatchObject(granted)
  })
})
