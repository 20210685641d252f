import { describe, expect, it } from 'vitest'
import { ask, copies, granted, takeSlots, update, useProcesses } from './processes.ts'

useProcesses()

describe('changeState() keeps the pace', () => {
  const send = (process: string, now: number) => ask(process, now)

  it('of each surface, for a span from the latest arrival of each request', () => {
    for (const at of [0, 10, 20]) expect(send('1', at)).toMatchObject(granted)
    expect(send('2', 100)).toEqual({ reason: 'pace', ms: 60_020 })
    expect(send('2', 2000)).toEqual({ reason: 'pace', ms: 1000 + 60_020 - 2000 })
    expect(ask('2', 2000, { surface: ':b' })).toMatchObject(granted)
    expect(send('2', 61_019)).toMatchObject({ reason: 'pace' })
    expect(send('2', 61_020)).toMatchObject(granted)
  })

  it('also after the process that has sent ended, and then forgets it', () => {
    for (const at of [0, 10, 20]) send('1', at)
    expect(send('4', 30_000)).toMatchObject({ reason: 'pace' })
    expect(Object.keys(copies.get('4')!.processes)).toEqual(['1', '4'])
    update('4', 62_000)
    expect(Object.keys(copies.get('4')!.processes)).toEqual([])
  })

  it('and says how long a process waits behind others at its surface', () => {
    for (const at of [0, 1000, 2000]) send('1', at)
    takeSlots(3000)
    for (const process of ['8', '9']) ask(process, 3001, { surface: '' })
    // It has had more, so it comes after those that have had none.
    expect(ask('1', 9000)).toEqual({ reason: 'pace', ms: 1000 + 60_020 - 9000 })
    const waits = ['4', '5', '6', '7'].map((process, i) => ask(process, 10_000 + i))
    const arrivals = [1000, 2000, 3000, 1000 + 60_020]
    expect(waits).toEqual(arrivals.map((at, i) => ({ reason: 'pace', ms: at + 60_020 - 10_000 - i })))
    // It leaves three requests to each of the four.
    expect(ask('1', 10_010)).toEqual({ reason: 'pace', ms: 1000 + 60_020 - 10_010 + 4 * 60_020 })
  })

  it('and says that a request in flight may turn out to have arrived', () => {
    for (const at of [0, 10, 20]) send('1', at)
    expect(send('2', 500)).toEqual({ reason: 'pace', ms: 60_020 })
    expect(send('2', 1005)).toEqual({ reason: 'pace', ms: 1000 + 60_020 - 1005 })
  })

  it('and says so of a request of a far process, too', () => {
    for (const at of [0, 10, 20]) ask('1', at, {}, { arrivesWithinMs: 7000 })
    expect(send('2', 500)).toEqual({ reason: 'pace', ms: 60_020 })
    expect(send('2', 60_520)).toEqual({ reason: 'pace', ms: 7000 + 60_020 - 60_520 })
  })

  it('by the first arrival, whichever process has sent it', () => {
    send('2', 0)
    for (const at of [1000, 2000]) send('1', at)
    expect(send('3', 5000)).toMatchObject({ reason: 'pace', ms: 1000 + 60_020 - 5000 })
    expect(send('4', 5001)).toMatchObject({ reason: 'pace', ms: 2000 + 60_020 - 5001 })
  })

  it('and passes a slot on to a process at another surface', () => {
    for (const at of [0, 10, 20]) send('1', at)
    takeSlots(30)
    ask('3', 40)
    ask('4', 50, { surface: ':b' })
    expect(update('1', 60).wakeUps).toEqual([['4', 0]])
  })

  it('of processes in line: slots are offered to no more than the surface has room for', () => {
    for (const at of [0, 10]) send('1', at)
    takeSlots(30)
    for (const process of ['3', '4']) ask(process, 40)
    ask('5', 50, { surface: ':b' })
    expect(update('1', 60).wakeUps).toContainEqual(['3', 0])
    expect(update('2', 70).wakeUps).toContainEqual(['5', 0])
    expect(ask('4', 80)).toMatchObject({ reason: 'turn' })
  })

  it('and leaves to others in line what they lack to as many requests', () => {
    expect(ask('2', 0, { calls: 3 })).toMatchObject({ ...granted, count: 2 })
    ask('3', 1, { calls: 3 })
    expect(ask('2', 2)).toEqual({ reason: 'turn', ms: 200 })
    expect(ask('3', 3, { calls: 3 })).toMatchObject({ ...granted, next: { reason: 'pace' } })
  })

  it('and leaves to others what they lack to a single request', () => {
    for (const process of ['1', '2']) expect(ask(process, 0)).toMatchObject(granted)
    ask('3', 10)
    expect(ask('2', 20)).toMatchObject({ reason: 'turn' })
  })

  it('and leaves to one behind what it lacks to a single request', () => {
    for (const process of ['1', '2']) expect(ask(process, 0)).toMatchObject(granted)
    for (const process of ['1', '2']) update(process, 5)
    for (const process of ['8', '9']) ask(process, 10, { surface: '' })
    for (const process of ['2', '3']) ask(process, 20)
    expect(update('8', 30).wakeUps).toEqual([
      ['3', 0],
      ['2', 200],
    ])
  })

  it('and leaves to others what they lack to several requests with one slot', () => {
    for (const process of ['8', '9']) ask(process, 0, { surface: '' })
    ask('3', 10)
    ask('2', 20, { calls: 3 }, { requestsPerSlot: 3 })
    update('8', 30)
    update('9', 30)
    expect(ask('2', 40, { calls: 3 }, { requestsPerSlot: 3 })).toEqual({
      ...granted,
      count: 2,
      next: expect.anything(),
    })
    expect(copies.get('2')!.processes['2']).toMatchObject({ slots: 1, arrivals: { ':a': [1040, 1040] } })
  })

  it('and leaves to others what they lacked in the minute before', () => {
    expect(ask('1', 0, { calls: 3 }, { requestsPerSlot: 3 })).toMatchObject({ ...granted, count: 3 })
    for (const at of [5000, 15_000, 29_000, 43_000, 57_000]) {
      ask('2', at, { calls: 9 })
      ask('1', at + 10, { calls: 9 })
    }
    expect(ask('1', 61_030, { calls: 9 })).toMatchObject({ reason: 'turn' })
    expect(ask('2', 61_040, { calls: 9 })).toMatchObject({ ...granted, count: 2 })
    expect(update('2', 61_050, { asks: [{ calls: 7 }] }).grants.get(':a')).toMatchObject({ requests: 1 })
    // Then all have had as many.
    ask('1', 122_080)
    expect(update('2', 122_100).state.processes).toMatchObject({ 1: { surplus: {} } })
  })

  it('and holds nobody back for more than a minute', () => {
    for (const [minute, past] of [2, 3, 3].entries()) {
      const at = minute * 70_000
      for (let i = 0; i < 5; i++) {
        const now = at + 10 + i * 14_000
        update('1', now, { asks: [{}], slots: 0, arrivals: [[':a', [at + 10, at + 20]]] })
        update('2', now, { asks: [{}], arrivals: [] })
      }
      expect(update('2', at + 69_000, { asks: [{}], arrivals: [] }).state.processes['1']?.surplus).toEqual({
        ':a': past,
      })
    }
  })

  it('and remembers nothing of a process that is alone', () => {
    for (const at of [0, 10, 20]) send('1', at)
    expect(send('1', 61_100)).toMatchObject(granted)
    expect(copies.get('1')!.processes['1']!.surplus).toEqual({})
  })

  it('and leaves nothing to those that wait elsewhere', () => {
    expect(ask('2', 0, { calls: 3 })).toMatchObject({ ...granted, count: 2 })
    ask('3', 10, { surface: '' })
    expect(ask('2', 20)).toMatchObject(granted)
  })

  it('of two processes that the surface has room for', () => {
    send('1', 0)
    takeSlots(10)
    for (const process of ['3', '4']) ask(process, 20)
    expect(update('1', 30).wakeUps).toContainEqual(['3', 0])
    expect(update('2', 40).wakeUps).toContainEqual(['4', 0])
  })

  it('not of calls without a surface', () => {
    for (let i = 0; i < 5; i++) expect(ask('1', i, { surface: '' })).toMatchObject(granted)
    expect(copies.get('1')!.processes['1']!.arrivals).toEqual({})
    takeSlots(10)
    ask('3', 20, { surface: '' })
    expect(update('1', 30).wakeUps).toContainEqual(['3', 0])
  })
})
