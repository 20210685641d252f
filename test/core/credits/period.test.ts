import { afterEach, describe, expect, it, vi } from 'vitest'
import { CreditBudget, type CreditBudgetError } from '../../../src/index.ts'
import { pass, settle, virtualTime } from '../../support/clock.ts'
import { makeClient, ok, scriptedService, slow } from '../../support/service.ts'

const service = scriptedService()
virtualTime()
afterEach(() => {
  vi.restoreAllMocks()
})

const at = (time: string) => vi.setSystemTime(Date.parse(time))

/** The times at which a budget of one credit grants it, among a time in each quarter of an hour. */
function grants(budget: CreditBudget, from: string, to: string): string[] {
  const granted: string[] = []
  for (let time = Date.parse(from); time < Date.parse(to); time += 900_000) {
    vi.setSystemTime(time)
    if (budget.remaining === 0) continue
    budget.reserve(1, 'any').settle(1)
    granted.push(new Date(time).toISOString().slice(5, 16))
  }
  return granted
}

/** How a budget refuses, if it does. */
function refusalOf(reserve: () => void): { error?: CreditBudgetError } {
  try {
    reserve()
    return {}
  } catch (error) {
    return { error: error as CreditBudgetError }
  }
}

describe('new CreditBudget(limit, { every })', () => {
  const spring = ['2026-03-28T12:00Z', '2026-04-01T12:00Z'] as const
  const autumn = ['2026-10-24T12:00Z', '2026-10-27T12:00Z'] as const
  it.each([
    ['day', undefined, spring, ['03-28T12:00', '03-29T00:00', '03-30T00:00', '03-31T00:00', '04-01T00:00']],
    ['month', undefined, spring, ['03-28T12:00', '04-01T00:00']],
    // A day of 23 hours, and one of 25.
    [
      'day',
      'Europe/Paris',
      spring,
      ['03-28T12:00', '03-28T23:00', '03-29T22:00', '03-30T22:00', '03-31T22:00'],
    ],
    ['day', 'Europe/Paris', autumn, ['10-24T12:00', '10-24T22:00', '10-25T23:00', '10-26T23:00']],
    ['month', 'Europe/Paris', spring, ['03-28T12:00', '03-31T22:00']],
  ] as const)('starts anew each %s, time zone %s, from %j', (every, timeZone, [from, to], expected) => {
    const budget = new CreditBudget(1, { every, timeZone })
    expect(grants(budget, from, to)).toEqual(expected)
  })

  it('starts each hour anew, also the one that is repeated, and hours from half past to half past', () => {
    const paris = new CreditBudget(1, { every: 'hour', timeZone: 'Europe/Paris' })
    const hours = ['10-24T23:00', '10-25T00:00', '10-25T01:00', '10-25T02:00']
    expect(grants(paris, '2026-10-24T23:00Z', '2026-10-25T03:00Z')).toEqual(hours)
    const kolkata = new CreditBudget(1, { every: 'hour', timeZone: 'Asia/Kolkata' })
    const halves = ['11-20T10:00', '11-20T10:30', '11-20T11:30']
    expect(grants(kolkata, '2026-11-20T10:00Z', '2026-11-20T12:00Z')).toEqual(halves)
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
      vi.setSystemTime(evening)
      const budget = new CreditBudget(10, { every: 'day' })
      budget.reserve(9, 'any').settle(9)
      const clock = vi.spyOn(Date, 'now').mockReturnValue(midnight)
      for (let look = 0; look < looks; look++) clock.mockReturnValueOnce(evening)
      const { error } = refusalOf(() => budget.reserve(2, 'any'))
      clock.mockRestore()
      const { needed, remaining, resetsAt } = error?.budget ?? {}
      expect([needed, remaining, resetsAt]).toEqual(
        looks === 0 ? [undefined, undefined, undefined] : [2, 1, midnight],
      )
      expect(budget.summary()).toMatchObject({ spent: 9, reserved: 0 })
      vi.setSystemTime(midnight)
      expect(budget.summary()).toMatchObject({ spent: 0, reserved: error === undefined ? 2 : 0 })
    },
  )

  it('keeps what each day has spent, wherever the clock jumps', () => {
    const budget = new CreditBudget(10, { every: 'day' })
    const spent: Record<string, number> = {}
    for (const [i, day] of ['21', '22', '21', '23', '30', '22', '24', '21', '30', '24'].entries()) {
      at(`2026-11-${day}T12:00:00Z`)
      for (let n = 0; n <= i && budget.remaining > 0; n++) {
        budget.reserve(1, 'any').settle(1)
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
    expect(() => budget.reserve(1, 'any')).toThrow(
      expect.objectContaining({ code: 'budget_unavailable', reason, temporary: true }),
    )
    at('2026-11-21T00:00:00Z')
    expect(budget.remaining).toBe(10)
    at('2026-11-20T23:59:30Z')
    expect(budget.remaining).toBe(0)
    at('2140-01-01T00:01:00Z')
    expect(budget.remaining).toBe(2)
  })

  it('forgets days after 40 others, and refuses them from then on', () => {
    const budget = new CreditBudget(1, { every: 'day' })
    const day = 86_400_000
    const first = Date.parse('2026-11-01T12:00:00Z')
    for (let i = 0; i < 41; i++) {
      vi.setSystemTime(first + i * day)
      budget.reserve(1, 'any').settle(1)
    }
    for (const i of [0, 1, 40]) {
      vi.setSystemTime(first + i * day)
      expect(budget.remaining).toBe(0)
    }
    vi.setSystemTime(first)
    expect(() => budget.reserve(1, 'any')).toThrow('the clock shows 2026-11-01, but')
    vi.setSystemTime(first + 41 * day)
    expect(budget.remaining).toBe(1)
  })

  it('forgets no later day when the clock was ahead for long', () => {
    const budget = new CreditBudget(2, { every: 'day' })
    const spend = (time: string) => {
      at(time)
      budget.reserve(1, 'any').settle(1)
    }
    spend('2026-11-20T12:00:00Z')
    for (let month = 1; month <= 8; month++)
      for (let date = 1; date <= 5; date++) spend(`2140-0${month}-0${date}T12:00:00Z`)
    for (const date of ['21', '22', '23', '24', '25', '26']) spend(`2026-11-${date}T12:00:00Z`)
    for (const time of ['2026-11-26T12:00:00Z', '2140-01-01T12:00:00Z']) {
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
      const search = () => client.microblog.search({ query: 'a' }).then()
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
      await settle(makeClient({ budget }).microblog.search({ query: 'a' }))
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
    const client = makeClient({ budget }).withOptions({ budget: other })
    await settle(client.microblog.search({ query: 'a' }))
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
    ['hour', 'Asia/Kathmandu', ['09-30T12:00', '09-30T12:15', '09-30T13:15', '09-30T14:15']],
    ['day', 'Europe/Rome', ['09-30T12:00', '09-30T22:00', '10-01T22:00']],
    ['month', 'Europe/Madrid', ['09-30T12:00', '09-30T22:00']],
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
    const budget = new CreditBudget(1, { every, timeZone })
    const end = every === 'hour' ? '2026-09-30T15:00Z' : '2026-10-02T12:00Z'
    expect(grants(budget, '2026-09-30T12:00Z', end)).toEqual(expected)
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

describe('new CreditBudget(limit)', () => {
  it('reads no clock before a call is sent', async () => {
    const client = makeClient({ budget: new CreditBudget(10), logger: false })
    const clock = vi.spyOn(Date, 'now')
    const reads: number[] = []
    service.script(() => {
      reads.push(clock.mock.calls.length)
      return ok()
    })
    await settle(client.microblog.search({ query: 'a' }))
    expect(reads).toEqual([0])
  })
})

describe('CreditBudgetError.budget', () => {
  it('names the budget that refused, also on the error of a call', async () => {
    const tenant = new CreditBudget(1, { name: 'tenant' })
    const client = makeClient({ budget: new CreditBudget(100, { name: 'everybody' }) })
    const { error } = await settle(client.microblog.search({ query: 'a' }, { budget: tenant }))
    expect(error).toMatchObject({
      code: 'credit_budget',
      budget: { name: 'tenant', needed: 2, remaining: 1 },
    })
    expect((error as Error).message).toContain('and the budget "tenant" has 1 left')
  })

  it('comes with what calls in progress have reserved, if that is why the call does not fit', () => {
    const budget = new CreditBudget(4)
    budget.reserve(3, 'any')
    expect(() => budget.reserve(4, 'any')).toThrow(
      expect.objectContaining({
        message:
          'any: it may cost 4 credits and the `budget` has 1 left and 3 reserved by other calls; retry when they end',
        budget: expect.objectContaining({ reserved: 3 }) as unknown,
      }),
    )
    const unreserved = expect.not.objectContaining({ reserved: 3 }) as unknown
    expect(() => budget.reserve(5, 'any')).toThrow(expect.objectContaining({ budget: unreserved }))
  })

  it('comes with the time the budget resets, if it ever does', async () => {
    const refusalOf = async (budget: CreditBudget) =>
      (await settle(makeClient({ budget }).microblog.search({ query: 'a' }))).error
    const daily = new CreditBudget(1, { every: 'day' })
    const { endsAt } = daily.summary()
    expect(endsAt).toBeGreaterThan(Date.now())
    expect(await refusalOf(daily)).toMatchObject({ budget: { resetsAt: endsAt } })
    expect(await refusalOf(new CreditBudget(1))).not.toHaveProperty('budget.resetsAt')
  })

  it('has no name when the budget has none', () => {
    const nameless = expect.not.objectContaining({ name: expect.anything() as unknown }) as unknown
    expect(() => new CreditBudget(1).reserve(2, 'any')).toThrow(expect.objectContaining({ budget: nameless }))
  })
})
