import { afterEach, describe, expect, it, vi } from 'vitest'
import { CreditBudget, type CreditBudgetError } from '../../../src/index.ts'
import { pass, settle } from '../../support/clock.ts'
import { query } from '../../support/search.ts'
import { makeClient, ok, slow, virtualService } from '../../support/service.ts'

const service = virtualService()
afterEach(() => void vi.restoreAllMocks())

const at = (time: string | number) => vi.setSystemTime(new Date(time))
const day = 86_400_000
const spend = (budget: CreditBudget) => budget.reserve(1, 'any').settle(1)

/** The times at which a budget of one credit grants it, among a time in each quarter of an hour. */
function grants(budget: CreditBudget, from: string, to: string): string {
  const granted: string[] = []
  for (let time = Date.parse(from); time < Date.parse(to); time += 900_000) {
    at(time)
    if (budget.remaining === 0) continue
    spend(budget)
    granted.push(new Date(time).toISOString().slice(5, 16))
  }
  return granted.join(' ')
}

/** An error with these fields. */
const failing = (fields: object) => expect.objectContaining(fields) as Error

describe('new CreditBudget(limit, { every })', () => {
  const spring = ['2026-03-28T12:00Z', '2026-04-01T12:00Z'] as const
  const autumn = ['2026-10-24T12:00Z', '2026-10-27T12:00Z'] as const
  const repeated = ['2026-10-24T23:00Z', '2026-10-25T03:00Z'] as const
  const morning = ['2026-11-20T10:00Z', '2026-11-20T12:00Z'] as const
  it.each([
    ['day', undefined, spring, '03-28T12:00 03-29T00:00 03-30T00:00 03-31T00:00 04-01T00:00'],
    ['month', undefined, spring, '03-28T12:00 04-01T00:00'],
    // A day of 23 hours, and one of 25.
    ['day', 'Europe/Paris', spring, '03-28T12:00 03-28T23:00 03-29T22:00 03-30T22:00 03-31T22:00'],
    ['day', 'Europe/Paris', autumn, '10-24T12:00 10-24T22:00 10-25T23:00 10-26T23:00'],
    ['month', 'Europe/Paris', spring, '03-28T12:00 03-31T22:00'],
    ['hour', 'Europe/Paris', repeated, '10-24T23:00 10-25T00:00 10-25T01:00 10-25T02:00'],
    ['hour', 'Asia/Kolkata', morning, '11-20T10:00 11-20T10:30 11-20T11:30'],
  ] as const)('starts anew each %s, time zone %s, from %j', (every, timeZone, [from, to], expected) => {
    expect(grants(new CreditBudget(1, { every, timeZone }), from, to)).toBe(expected)
  })

  it('settles a reservation in the period in which it was made', () => {
    at('2026-11-20T23:59:59Z')
    const budget = new CreditBudget(10, { every: 'day' })
    const [spent, doubted] = [budget.reserve(4, 'any'), budget.reserve(3, 'any')]
    at('2026-11-21T00:00:00Z')
    expect([budget.remaining, budget.summary().reserved]).toEqual([10, 0])
    const today = budget.reserve(5, 'any')
    spent.settle(4)
    doubted.settle(0, 3)
    expect(budget.summary()).toMatchObject({ limit: 10, remaining: 5, spent: 0, uncertain: 0, reserved: 5 })
    today.settle(5)
    expect(budget.summary()).toMatchObject({ limit: 10, remaining: 5, spent: 5, uncertain: 0, reserved: 0 })
  })

  it.each([
    ['hour', 'Asia/Kolkata', '2026-11-20T10:10:00Z', '2026-11-20T10:30:00Z'],
    ['day', undefined, '2026-11-20T23:59:59.999Z', '2026-11-21T00:00:00Z'],
    ['day', 'Europe/Paris', '2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z'],
    ['month', 'Europe/Paris', '2026-03-01T12:00:00Z', '2026-03-31T22:00:00Z'],
    [undefined, undefined, '2026-03-01T12:00:00Z', null],
  ] as const)('summary() tells when the %s ends in %s', (every, timeZone, time, end) => {
    at(time)
    const { endsAt, remaining } = new CreditBudget(10, { every, timeZone }).summary()
    expect([endsAt, remaining]).toEqual([end && Date.parse(end), 10])
  })

  it.each([0, 1, 2, 3, 4, 5])(
    'spends no day twice, and refuses with the facts of one day, when midnight is after %i looks at the clock',
    (looks) => {
      const [evening, midnight] = [Date.parse('2026-11-20T23:59:59.999Z'), Date.parse('2026-11-21T00:00Z')]
      at(evening)
      const budget = new CreditBudget(10, { every: 'day' })
      budget.reserve(9, 'any').settle(9)
      const clock = vi.spyOn(Date, 'now').mockReturnValue(midnight)
      for (let look = 0; look < looks; look++) clock.mockReturnValueOnce(evening)
      const reserving = expect(() => budget.reserve(2, 'any'))
      const facts = { needed: 2, remaining: 1, resetsAt: midnight }
      if (looks === 0) reserving.not.toThrow()
      else reserving.toThrow(failing({ budget: failing(facts) }))
      clock.mockRestore()
      expect(budget.summary()).toMatchObject({ spent: 9, reserved: 0 })
      at(midnight)
      expect(budget.summary()).toMatchObject({ spent: 0, reserved: looks === 0 ? 2 : 0 })
    },
  )

  it('keeps what each day has spent, wherever the clock jumps', () => {
    const budget = new CreditBudget(10, { every: 'day' })
    const spent: Record<string, number> = {}
    for (const [i, day] of ['21', '22', '21', '23', '30', '22', '24', '21', '30', '24'].entries()) {
      at(`2026-11-${day}T12:00:00Z`)
      for (let n = 0; n <= i && budget.remaining > 0; n++) {
        spend(budget)
        spent[day] = (spent[day] ?? 0) + 1
      }
    }
    expect(spent).toEqual({ 21: 10, 22: 8, 23: 4, 24: 10, 30: 10 })
    for (const [day, credits] of Object.entries(spent)) {
      at(`2026-11-${day}T12:00:00Z`)
      expect([day, budget.summary().spent, budget.remaining]).toEqual([day, credits, 10 - credits])
    }
  })

  it('refuses a day before the first one, since one of two clocks was wrong, and goes on the day after', () => {
    at('2140-01-01T00:00:30Z')
    const budget = new CreditBudget(10, { every: 'day' })
    budget.reserve(8, 'any').settle(8)
    at('2026-11-20T23:59:30Z')
    expect(budget.remaining).toBe(0)
    const reason =
      'the clock shows 2026-11-20, but this budget was used in 2140-01-01 before; set the clock right, or wait for the next period'
    const error = failing({ code: 'budget_unavailable', reason, temporary: true })
    expect(() => budget.reserve(1, 'any')).toThrow(error)
    const left = ['2026-11-21T00:00:00Z', '2026-11-20T23:59:30Z', '2140-01-01T00:01:00Z'].map((time) => {
      at(time)
      return budget.remaining
    })
    expect(left).toEqual([10, 0, 2])
  })

  it('forgets days after 40 others, and refuses them from then on', () => {
    const budget = new CreditBudget(1, { every: 'day' })
    const first = Date.parse('2026-11-01T12:00:00Z')
    for (let i = 0; i < 41; i++) {
      at(first + i * day)
      spend(budget)
    }
    const left = [1, 40, 41, 0].map((i) => {
      at(first + i * day)
      return budget.remaining
    })
    expect(left).toEqual([0, 0, 1, 0])
    expect(() => budget.reserve(1, 'any')).toThrow('the clock shows 2026-11-01, but')
  })

  it('forgets no later day when the clock was ahead for long', () => {
    const budget = new CreditBudget(2, { every: 'day' })
    const ahead = Array.from({ length: 40 }, (_, i) => Date.UTC(2140, 0, 1 + i))
    const after = Array.from({ length: 6 }, (_, i) => Date.UTC(2026, 10, 21 + i))
    for (const time of [Date.UTC(2026, 10, 20), ...ahead, ...after]) {
      at(time)
      spend(budget)
    }
    for (const time of [after.at(-1)!, ahead[0]!]) {
      at(time)
      expect(budget.remaining).toBe(1)
    }
  })

  it.each([
    [2, 'sent'],
    [3, 'CreditBudgetError'],
  ])(
    'counts a call in the day in which it is sent: with %i calls of the new day before it, it ends with %s',
    async (more, end) => {
      at('2026-11-20T23:59:59Z')
      service.script(slow(2000))
      const budget = new CreditBudget(6, { every: 'day' })
      const client = makeClient({ budget })
      const search = () => client.microblog.search(query).then()
      const before = [1, 2, 3].map(search)
      await pass(1500)
      const after = Array.from({ length: more }, search)
      const { value } = await settle(Promise.allSettled([...before, ...after]))
      const ends = value!.map((each) => (each.status === 'fulfilled' ? 'sent' : (each.reason as Error).name))
      expect(ends).toEqual(['sent', 'sent', end, ...after.map(() => 'sent')])
      expect(service.arrivals).toHaveLength(5)
      expect(client.credits).toMatchObject({ spent: 10, uncertain: 0, reserved: 0 })
      expect(budget.summary()).toMatchObject({ spent: 6, uncertain: 0, reserved: 0 })
      at('2026-11-20T12:00:00Z')
      expect(budget.summary()).toMatchObject({ spent: 4, uncertain: 0, reserved: 0 })
    },
  )

  it.each(['2026-11-20T23:59:59.400Z', '2026-11-20T23:59:59.999Z'])(
    'sends nothing at %s, in the last moment of a day, since it might arrive on the next one',
    async (time) => {
      at(time)
      service.script(() => ok())
      const budget = new CreditBudget(2, { every: 'day' })
      await service.search({ budget })
      expect(Date.now()).toBeGreaterThan(Date.parse('2026-11-21T00:00:00Z'))
      expect([service.arrivals.length, budget.remaining]).toEqual([1, 0])
      at('2026-11-20T12:00:00Z')
      expect(budget.summary()).toMatchObject({ spent: 0, reserved: 0, remaining: 2 })
    },
  )

  it('counts a call in the day of its sending when another budget takes its time over midnight', async () => {
    at('2026-11-20T23:59:58Z')
    service.script(() => ok())
    const budget = new CreditBudget(2, { every: 'day' })
    const renew = () => new Promise<void>((done) => setTimeout(done, 3000))
    const other = { reserve: () => ({ renew, settle: () => {} }) }
    await service.search(makeClient({ budget }).withOptions({ budget: other }))
    expect(budget.summary()).toMatchObject({ spent: 2, reserved: 0 })
    at('2026-11-20T12:00:00Z')
    expect(budget.summary()).toMatchObject({ spent: 0, reserved: 0 })
  })

  it('reserves nothing in the next day for a call that ends while it waits for that', async () => {
    at('2026-11-20T23:59:59.999Z')
    const budget = new CreditBudget(2, { every: 'day' })
    const reservation = budget.reserve(2, 'any')
    const renewed = reservation.renew?.()
    reservation.settle(0)
    await settle(Promise.resolve(renewed))
    expect([new Date().getUTCDate(), budget.summary().reserved]).toEqual([21, 0])
  })

  it.each([
    // Each zone once, so that no earlier test has made its format.
    ['hour', 'Asia/Kathmandu', '09-30T12:00 09-30T12:15 09-30T13:15 09-30T14:15'],
    ['day', 'Europe/Rome', '09-30T12:00 09-30T22:00 10-01T22:00'],
    ['month', 'Europe/Madrid', '09-30T12:00 09-30T22:00'],
  ] as const)('starts each %s once where ICU knows only American English', (every, timeZone, expected) => {
    const { DateTimeFormat } = Intl
    vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(function (_, options) {
      return new DateTimeFormat('en-US', options)
    })
    for (const name of ['toLocaleString', 'toLocaleDateString'] as const) {
      const inEnglish = Date.prototype[name]
      vi.spyOn(Date.prototype, name).mockImplementation(function (this: Date, _, options) {
        return inEnglish.call(this, 'en-US', options)
      })
    }
    const end = every === 'hour' ? '2026-09-30T15:00Z' : '2026-10-02T12:00Z'
    expect(grants(new CreditBudget(1, { every, timeZone }), '2026-09-30T12:00Z', end)).toBe(expected)
  })

  it.each([
    [{ every: 'week' }, "`every` must be 'hour', 'day' or 'month', got \"week\""],
    [{ every: 'day', timeZone: 'Mars/Base' }, 'timeZone must be a name such as Europe/Paris'],
    [{ timeZone: 'UTC' }, 'timeZone needs every'],
    [{ evry: 'day' }, 'unknown option evry; expected one of every, timeZone, name'],
    [{ name: '' }, 'name must be a string that is not empty'],
  ])('refuses %o', (options, message) => {
    expect(() => new CreditBudget(1, options as object)).toThrow(message)
  })
})

it('new CreditBudget(limit) reads no clock before a call is sent', async () => {
  const client = makeClient({ budget: new CreditBudget(10) })
  const clock = vi.spyOn(Date, 'now')
  const reads: number[] = []
  service.script(() => (reads.push(clock.mock.calls.length), ok()))
  await service.search(client)
  expect(reads).toEqual([0])
})

describe('CreditBudgetError.budget', () => {
  it('names the budget that refused, also on the error of a call', async () => {
    const tenant = new CreditBudget(1, { name: 'tenant' })
    const everybody = new CreditBudget(100, { name: 'everybody' })
    const { error } = await service.search({ budget: everybody }, { budget: tenant })
    expect(error).toMatchObject({
      ...{ code: 'credit_budget', budget: { name: 'tenant', needed: 2, remaining: 1 } },
      message: expect.stringContaining('and the budget "tenant" has 1 left') as string,
    })
  })

  it('comes with what calls in progress have reserved, if that is why the call does not fit', () => {
    const budget = new CreditBudget(4)
    budget.reserve(3, 'any')
    const message =
      'any: it may cost 4 credits and the `budget` has 1 left and 3 reserved by other calls; retry when they end'
    expect(() => budget.reserve(4, 'any')).toThrow(failing({ message, budget: failing({ reserved: 3 }) }))
    const unreserved: unknown = expect.not.objectContaining({ reserved: 3 })
    expect(() => budget.reserve(5, 'any')).toThrow(failing({ budget: unreserved }))
  })

  it('comes with the time the budget resets, if it ever does, and without a name if it has none', async () => {
    const budget = new CreditBudget(1, { every: 'day' })
    const { endsAt: resetsAt } = budget.summary()
    expect(resetsAt).toBeGreaterThan(Date.now())
    expect(await service.search({ budget })).toMatchObject({ error: { budget: { resetsAt } } })
    const { error } = await service.search({ budget: new CreditBudget(1) })
    expect(Object.keys((error as CreditBudgetError).budget)).toEqual(['needed', 'remaining', 'limit'])
  })
})
