import { describe, expect, it } from 'vitest'
import { type Told, ask, copies, granted, setText, takeSlots, tell, text } from './processes.ts'

describe('changeState() grants slots', () => {
  it('as many as requests may be in flight, and says why the next call waits when the last is taken', () => {
    expect(ask('1', 0)).toEqual(granted)
    const next = { reason: 'slot', ms: 15_000 - 10, ahead: 0 }
    expect(ask('2', 10)).toEqual({ ...granted, next })
    expect(ask('3', 20)).toEqual({ reason: 'slot', ms: 14_980, ahead: 0 })
  })

  it('until the last free one is taken, also to one process that asks twice', () => {
    const { outcomes } = tell('1', 0, {
      asks: [{ surface: ':a' }, { surface: ':b' }, { surface: '' }],
    })
    expect([...outcomes.values()].map(({ reason }) => reason)).toEqual(['granted', 'granted', 'slot'])
  })

  it('to the process that has waited longest, and calls it', () => {
    takeSlots()
    ask('3', 10, { surface: '' })
    ask('4', 20, { surface: '' })
    const released = tell('1', 30)
    expect(released).toMatchObject({ called: ['3'], next: '4' })
    expect(ask('4', 40, { surface: '' }, { places: [['', 20]] })).toEqual({
      reason: 'turn',
      ms: 200,
      ahead: 1,
    })
    expect(ask('5', 50, { surface: '' })).toMatchObject({ reason: 'turn', ms: 15_000, ahead: 2 })
    expect(ask('3', 60, { surface: '' }, { places: [['', 10]] })).toMatchObject(granted)
  })

  it('by the name of the process when two have waited equally long', () => {
    takeSlots()
    for (const process of ['4', '3']) ask(process, 10, { surface: '' })
    expect(tell('1', 20).called).toEqual(['3'])
  })

  it('to the next process when the first one does not ask within 200 ms', () => {
    takeSlots()
    ask('3', 10, { surface: '' })
    ask('4', 20, { surface: '' })
    tell('1', 30)
    // It renews its place, and does not ask.
    tell('3', 130, { places: [['', 10]] })
    const second = { places: [['', 20]] } as const
    expect(ask('4', 229, { surface: '' }, second)).toMatchObject({ reason: 'turn' })
    expect(ask('4', 230, { surface: '' }, second)).toMatchObject(granted)
  })

  it('to the next process only when the first one has had the time that it needs', () => {
    takeSlots()
    ask('3', 10, { surface: '' }, { turnMs: 900 })
    ask('4', 20, { surface: '' })
    expect(tell('1', 30)).toMatchObject({ called: ['3'], next: '4', turnMs: 900 })
    const second = { places: [['', 20]] } as const
    expect(ask('4', 929, { surface: '' }, second)).toMatchObject({ reason: 'turn', ms: 900 })
    expect(ask('4', 930, { surface: '' }, second)).toMatchObject(granted)
  })

  it('to each other process once while one that was called has not answered, which is then the first again', () => {
    takeSlots()
    const next = { hasNext: true }
    ask('3', 10, next, { turnMs: 900 })
    ask('4', 20, next)
    expect(tell('1', 30).called).toEqual(['3'])
    expect(tell('2', 40).called).toEqual(['4'])
    expect(ask('4', 50, next)).toMatchObject(granted)
    expect(ask('4', 60, next)).toMatchObject({ reason: 'turn', ms: 900 })
    expect(ask('3', 700, next, { slots: 0 })).toMatchObject(granted)
    expect(ask('4', 710, next)).toMatchObject({ reason: 'turn' })
  })

  it('does not take away the turn of processes that have not been called', () => {
    takeSlots()
    ask('3', 10, { surface: '' })
    ask('4', 20, { surface: '' })
    tell('1', 30)
    tell('2', 500)
    expect(ask('5', 600, { surface: '' })).toMatchObject(granted)
    expect(ask('6', 610, { surface: '' })).toMatchObject({ reason: 'turn' })
    expect(ask('4', 620, { surface: '' }, { places: [['', 20]] })).toMatchObject(granted)
  })

  it('keeps the place of a process whose turn has passed when it is that process that asks', () => {
    takeSlots()
    ask('3', 10, { surface: '' })
    tell('1', 30)
    expect(ask('3', 900, { surface: '' }, { places: [['', 10]] })).toMatchObject(granted)
  })

  it('calls a process again when the slot was taken meanwhile', () => {
    takeSlots()
    ask('3', 10, { surface: '' })
    expect(tell('1', 20).called).toEqual(['3'])
    expect(tell('1', 30).called).toEqual([])
    // A process that was thought dead has its slot back.
    tell('1', 240, { slots: 1 })
    expect(tell('1', 250).called).toEqual(['3'])
  })

  it('keeps a process with further calls in line, behind those that wait', () => {
    takeSlots()
    ask('3', 10, { surface: '', hasNext: true })
    ask('4', 20, { surface: '' })
    tell('1', 30)
    expect(ask('3', 40, { surface: '', hasNext: true }, { places: [['', 10]] })).toMatchObject(granted)
    expect(tell('2', 50)).toMatchObject({ called: ['4'], next: '3' })
  })

  it('removes a process without further calls from the line', () => {
    takeSlots()
    ask('3', 10, { surface: '' })
    tell('1', 30)
    expect(ask('3', 40, { surface: '' }, { places: [['', 10]] })).toMatchObject(granted)
    expect(tell('2', 50)).toMatchObject({ called: [], next: undefined })
  })

  it('of a silent process to others after its lease, and its place', () => {
    for (const process of ['1', '2']) ask(process, 0)
    tell('3', 10, { arrivals: [[':b', [10]]], places: [[':b', 10]] })
    expect(ask('4', 14_999, { surface: '' })).toMatchObject({ reason: 'slot' })
    expect(ask('5', 15_010, { surface: '' })).toEqual(granted)
  })

  it('of a process to its own calls, whichever waits longer', () => {
    takeSlots()
    tell('1', 30)
    const places: Told['places'] = [
      [':a', 20],
      [':b', 10],
    ]
    const { outcomes } = tell('3', 40, { places, asks: [{}, { surface: ':b' }] })
    expect(outcomes.get(':a')).toMatchObject(granted)
  })

  it('to nobody while more are in flight than allowed', () => {
    takeSlots()
    for (const process of ['3', '4', '5']) ask(process, 10, { surface: '' })
    // A process that was thought dead has its slots back.
    expect(tell('1', 20, { slots: 2 }).called).toEqual([])
  })

  it('and says when the next lease of a process with a slot ends', () => {
    tell('9', 0)
    takeSlots(100)
    expect(ask('3', 200, { surface: '' })).toMatchObject({ reason: 'slot', ms: 14_900 })
  })
})

describe('changeState() keeps the pace', () => {
  const send = (process: string, now: number) => ask(process, now)

  it('of each surface, for a span from the latest arrival of each request', () => {
    for (const at of [0, 10, 20]) expect(send('1', at)).toMatchObject(granted)
    expect(send('2', 100)).toEqual({ reason: 'pace', ms: 60_020, ahead: 0 })
    expect(send('2', 2000)).toEqual({ reason: 'pace', ms: 1000 + 60_020 - 2000, ahead: 0 })
    expect(ask('2', 2000, { surface: ':b' })).toMatchObject(granted)
    expect(send('2', 61_019)).toMatchObject({ reason: 'pace' })
    expect(send('2', 61_020)).toMatchObject(granted)
  })

  it('also after the process that has sent ended, and then forgets it', () => {
    for (const at of [0, 10, 20]) send('1', at)
    expect(send('4', 30_000)).toMatchObject({ reason: 'pace' })
    expect(Object.keys(copies.get('4')!.processes)).toEqual(['1', '4'])
    tell('4', 62_000)
    expect(Object.keys(copies.get('4')!.processes)).toEqual([])
  })

  it('and says how long a process waits behind others', () => {
    for (const at of [0, 1000, 2000]) send('1', at)
    const waits = ['4', '5', '6', '7'].map((process, i) => ask(process, 10_000 + i))
    const arrivals = [1000, 2000, 3000, 1000 + 60_020]
    expect(waits).toEqual(
      arrivals.map((at, i) => ({ reason: 'pace', ms: at + 60_020 - 10_000 - i, ahead: i })),
    )
  })

  it('by the first arrival, whichever process has sent it', () => {
    send('2', 0)
    for (const at of [1000, 2000]) send('1', at)
    expect(send('3', 5000)).toMatchObject({ reason: 'pace', ms: 1000 + 60_020 - 5000 })
  })

  it('of a client with a higher limit than the organization', () => {
    for (const at of [0, 10, 20]) send('1', at)
    expect(ask('4', 30, { limit: 4 })).toMatchObject(granted)
  })

  it('and passes a slot on to a process at another surface', () => {
    for (const at of [0, 10, 20]) send('1', at)
    takeSlots(30)
    ask('3', 40)
    ask('4', 50, { surface: ':b' })
    expect(tell('1', 60).called).toEqual(['4'])
  })

  it('of processes in line: no more are called than the surface has room for', () => {
    for (const at of [0, 10]) send('1', at)
    takeSlots(30)
    for (const process of ['3', '4']) ask(process, 40)
    ask('5', 50, { surface: ':b' })
    expect(tell('1', 60).called).toEqual(['3'])
    expect(tell('2', 70).called).toEqual(['5'])
    expect(ask('4', 80, {}, { places: [[':a', 40]] })).toMatchObject({ reason: 'turn' })
  })

  it('not of calls without a surface', () => {
    for (let i = 0; i < 5; i++) expect(ask('1', i, { surface: '', limit: Infinity })).toMatchObject(granted)
    expect(copies.get('1')!.processes['1']!.arrivals).toEqual({})
    takeSlots(10)
    ask('3', 20, { surface: '' })
    expect(tell('1', 30).called).toEqual(['3'])
  })
})

describe('changeState() closes a surface', () => {
  it('until the latest time that a process announces, and no other surface', () => {
    tell('1', 0, { closures: [[':a', 5000]] })
    tell('1', 10, { closures: [[':a', 100]] })
    expect(ask('2', 20)).toEqual({ reason: 'closed', ms: 4980, ahead: 0 })
    expect(ask('3', 30, { surface: ':b' })).toMatchObject(granted)
    expect(ask('2', 5000)).toMatchObject(granted)
    expect(copies.get('2')!.closures).toEqual({})
  })

  it('and calls processes at other surfaces', () => {
    takeSlots()
    ask('3', 10)
    ask('4', 20, { surface: ':b' })
    tell('3', 30, { closures: [[':a', 5000]], places: [[':a', 10]] })
    expect(tell('1', 40).called).toEqual(['4'])
  })
})

describe('changeState() changes nothing', () => {
  const waits = { places: [['', 10]], asks: [{ surface: '' }] } as const

  it('when a process is refused again, until its lease is due', () => {
    takeSlots()
    expect(tell('3', 10, waits).isChanged).toBe(true)
    for (const at of [20, 100, 5009])
      expect(tell('3', at, waits)).toMatchObject({ isChanged: false, called: [] })
    expect(tell('3', 5010, waits).isChanged).toBe(true)
  })

  it('when a process looks that has nothing to tell', () => {
    takeSlots()
    expect(tell('3', 10).isChanged).toBe(false)
    expect(text).not.toContain('"3"')
  })

  it('to the place of a process that reads the clock later', () => {
    takeSlots()
    tell('3', 10, waits)
    expect(tell('3', 40, { ...waits, places: [['', 35]] }).isChanged).toBe(false)
  })
})

describe('changeState() begins anew', () => {
  const state = { epoch: 'a', version: 7, time: 1, shift: 0, bornAt: 0, quietUntil: 0, closures: {} }
  it.each(['', 'null', '[]', '{}', { ...state }, { ...state, processes: { 1: {} } }])(
    'when the store has another text than a state: %j',
    (other) => {
      setText(typeof other === 'string' ? other : JSON.stringify(other))
      expect(ask('1', 0)).toMatchObject(granted)
    },
  )
})
