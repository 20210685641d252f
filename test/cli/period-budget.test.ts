import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { pass, settle, useVirtualTime } from '../support/clock.ts'
import { change } from '../support/posts-database.ts'
import { between, inTurn, sandbox, saidSoFar, social, stateFolder, useCommand } from './command.ts'

useCommand()
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-24T22:30:00Z'), shouldAdvanceTime: true })
  return () => void vi.useRealTimers()
})

const search = 'search coffee --per-minute off'
const shared = () => join(stateFolder, 'social-search/shared.sqlite')
const midnight = 'until 2026-11-25 00:00 UTC'
const none = 'No budget is set for all commands. Set one: social-search budget 200/day\n'
const budgetSays = async (text: string) => expect((await social('budget')).out).toBe(text)

describe('--budget 4/day', () => {
  it('holds for all commands of the day in UTC, and the refusal says what to do', async () => {
    const daily = `${search} --budget 4/day`
    const refusal = `not sent: it may cost 4 credits and the budget has 2 left ${midnight}. Wait, or raise --budget.\n`
    await inTurn([daily, 0], ['posts coffee --budget 4/day', 5, refusal], [daily, 0], [daily, 5])
    vi.setSystemTime(new Date('2026-11-25T00:00:01Z'))
    const left = '4/day as last given with --budget, until 2026-11-26 00:00 UTC: 0 spent · 4 left\n'
    await budgetSays(none + left)
    await inTurn([daily, 0])
    expect(sandbox.ledger.spent).toBe(6)
  })

  it('says in one line that little is left, and until when', async () => {
    const line = `${search} --budget 10/day`
    const low = `2 of 10 credits of --budget are left ${midnight}\n`
    await inTurn([line.replace('search', 'posts'), 0], [line, 0], [line, 0], [line, 0, low])
    expect((await social(line)).err).not.toContain(low)
  })
})

describe('social-search budget', () => {
  it('holds for commands that do not name it, beside their own --budget, until it is off', async () => {
    const refusal =
      'the budget has 0 left until 2026-12-01 00:00 UTC. Wait, or raise the budget: social-search budget'
    await inTurn(
      ['budget 6/month', 0, 'All commands together may spend 6 credits each month, in UTC\n'],
      [`${search} --all --budget 2`, 5, 'and --budget has 0 left'],
      [`${search} --all`, 5, `${refusal} 12/month\n`],
    )
    await inTurn(['logout', 0], [search, 5], ['budget off', 0], [search, 0])
    expect(sandbox.ledger.spent).toBe(8)
  })

  it('says that waiting does not help when a call costs more than the whole budget', () => {
    const cure = '20/day is too low for this call. Raise the budget: social-search budget 100/day\n'
    const refusal = `20 left ${midnight}; the smallest --max-comments is 100. ${cure}`
    return inTurn(['budget 20/day', 0], ['comments https://x', 5, refusal])
  })

  it('counts two limits of one period once, and keeps the lower one', async () => {
    await inTurn(
      ['budget 8/day', 0],
      [`${search} --budget 2/day`, 0],
      [`${search} --budget 2/day`, 5, `has 0 left ${midnight}. Wait, or raise --budget.`],
      [`${search} --budget 100/day --all`, 5, `has 0 left ${midnight}. Wait, or raise the budget`],
    )
    expect(sandbox.ledger.spent).toBe(8)
  })

  it('counts by --cost-label in the file of --out, and refuses one that nothing would count', async () => {
    await inTurn(
      ...['acme', 'acme', 'constructor'].map(
        (label) => [`${search} --cost-label ${label} --out posts.db`, 0] as const,
      ),
      ['describe posts.db', 0, '"labels":{"acme":4,"constructor":2}'],
      [`${search} --cost-label acme`, 2, '--cost-label needs --out'],
      [`${search} --cost-label a\u001b --out posts.db`, 2, 'a name of letters'],
    )
  })

  it('shows what is left, and which commands have spent the rest', async () => {
    await inTurn(['budget', 0, none], ['budget 100/day', 0], [`${search} --all --budget 6/hour`, 5])
    await inTurn(['posts coffee --per-minute off', 0])
    const hourly = '6/hour as last given with --budget, until 2026-11-24 23:00 UTC: 6 spent · 0 left\n'
    const daily = `100/day for all commands, ${midnight}: 10 spent · 90 left\n`
    await budgetSays(`${hourly}         6  search\n${daily}         6  search\n         4  posts\n`)
  })

  it.each([
    ['the one that is set', 'budget 20/day', '', '14 of 20 credits left', '6 spent · 14 left'],
    ['--budget, without others', 'budget', ' --budget 20/day', '16 of 20', '4 spent · 16 left'],
  ])('counts what the last line of `watch` counts: %s', async (_, first, flag, line, sums) => {
    const watch = `watch coffee tea --once --per-minute off --out posts.db${flag}`
    await inTurn([first, 0], [search, 0], [watch, 0, line], ['budget', 0, sums])
  })

  it('names what was spent by commands that were killed, or before the clock was ahead', async () => {
    await inTurn(['budget 100/day', 0], [search, 0])
    change(shared(), "DELETE FROM texts WHERE key LIKE '%spending-%'")
    const killed = /: 2 spent · 98 left\n {9}2 {2}commands that were killed, or before a wrong clock\n$/
    await inTurn(['budget', 0, killed])
  })

  it('needs no key, and says without an address why it shows nothing spent', async () => {
    const noAddress =
      'To see what was spent, log in, or set SOCIAL_SEARCH_BASE_URL: each address has its own count\n'
    await inTurn(['budget 100/day', 0], [search, 0])
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', '')
    await inTurn(['budget', 0, '2 spent · 98 left'])
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', '')
    await budgetSays(`100/day for all commands\n${noAddress}`)
    await inTurn(['budget off', 0])
    await budgetSays(none + noAddress)
  })

  it('lists what this period has spent, and a budget before anything is sent', async () => {
    await inTurn([`${search} --budget 9/day`, 0])
    vi.setSystemTime(new Date('2026-11-25T00:00:01Z'))
    await inTurn([`${search} --budget 9/day`, 0], ['budget', 0, ': 2 spent · 7 left\n         2  search\n'])
    sandbox.inject({ status: 403 })
    await inTurn([`${search} --budget 9/hour`, 3], ['budget', 0, '9/hour as last given'])
  })

  it('is one for an address, however it is spelled', async () => {
    await inTurn(['budget 4/day', 0])
    const { SOCIAL_SEARCH_BASE_URL: address = '' } = process.env
    const spelled = [address, `${address}/`, address.replace('https:', 'HTTPS:'), `${address}//x/..`]
    for (const each of spelled) {
      vi.stubEnv('SOCIAL_SEARCH_BASE_URL', each)
      await social(search)
    }
    expect(sandbox.ledger.spent).toBe(4)
    await inTurn(['budget', 0, '4 spent · 0 left'])
  })

  it('can be set and switched off when a newer version has set it in words of its own', async () => {
    const toNewer = () => change(shared(), "UPDATE texts SET value = '4/week' WHERE key LIKE 'set-%'")
    const message =
      'this version cannot read the budget that is set. Set it again, or switch it off: social-search budget off'
    await inTurn(['budget 4/day', 0])
    toNewer()
    await inTurn([search, 1, message], ['budget', 1, message])
    expect(sandbox.requests).toEqual([])
    await inTurn(['budget 6/day', 0], [search, 0])
    toNewer()
    await inTurn(['budget off', 0], [search, 0])
  })

  it('takes every amount that it can read again, and no other', () =>
    inTurn(
      ['budget 123456789012345.000001/day', 0],
      ['budget 0.000001/day', 0],
      ['budget', 0],
      ['budget 9999999999999999999999/day', 2, 'got 9999'],
      ['budget 0.0000001/day', 2, 'got 0.0000001'],
      ['budget', 0, '0.000001/day'],
    ))

  it('stops a command that cannot read the budget that is set', async () => {
    await inTurn(['budget 8/day', 0])
    writeFileSync(shared(), 'broken '.repeat(1000))
    await inTurn([search, 1, 'shared.sqlite cannot be used: file is not a database'])
    expect(sandbox.requests).toEqual([])
  })

  it('stops a command when the file does not have what was spent any more, and says what to do', async () => {
    await inTurn(['budget 8/day', 0], [search, 0])
    change(shared(), "UPDATE texts SET value = '{}' WHERE key LIKE '%budget-%'")
    const lost =
      'the store has lost a part of what was spent; wait for the next period, or use another budget'
    await inTurn([search, 5, lost], ['budget', 5, lost], [`${search} --budget 8/hour`, 5])
    await inTurn(['budget 8/hour', 0], [search, 0])
  })

  it('stops a command when its file was cut to nothing, until that is deleted', async () => {
    await inTurn(['budget 8/day', 0])
    for (const end of ['', '-wal', '-shm']) rmSync(shared() + end, { force: true })
    writeFileSync(shared(), '')
    const cure = 'delete it to begin anew; budgets are there'
    const empty = `shared.sqlite cannot be used: it is empty, so what it held is lost; ${cure}`
    await inTurn([search, 1, empty], ['budget', 1, empty], ['budget 8/day', 1, empty])
    expect(sandbox.requests).toEqual([])
    rmSync(shared())
    await inTurn(['budget 8/day', 0])
  })
})

describe('a command', () => {
  it('works where the shared file cannot be made, unless it needs a budget of a period', async () => {
    writeFileSync(join(stateFolder, 'social-search'), 'no folder')
    await inTurn(['search coffee', 0], ['search coffee --budget 2/day', 1, 'EEXIST'])
  })

  it('waits while the shared file cannot be written, says so, and goes on when it can', async () => {
    useVirtualTime()
    const state = join(stateFolder, 'social-search')
    between(async (send) => {
      const response = await send()
      if (sandbox.requests.length > 1) return response
      rmSync(state, { recursive: true })
      writeFileSync(state, 'no folder')
      return response
    })
    const run = social('search coffee --limit 40')
    await pass(5000)
    expect(saidSoFar()).toContain('waiting for the limits that commands share: ')
    expect(sandbox.requests).toHaveLength(1)
    rmSync(state)
    mkdirSync(state)
    expect((await settle(run)).value).toMatchObject({ code: 0 })
    expect(sandbox.requests).toHaveLength(2)
  })
})
