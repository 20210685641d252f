import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { PeriodBudget } from '../../src/cli/period-budget.ts'
import { memoryStore } from '../../src/extensions/shared/index.ts'
import { failed } from '../support/command-line.ts'
import { change } from '../support/posts-database.ts'
import { sandbox, social, stateFolder, useCommand } from './command.ts'

useCommand()
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-24T22:30:00Z') })
  return () => void vi.useRealTimers()
})

const search = 'search coffee --per-minute off'

describe('--budget 4/day', () => {
  it('holds for all commands of the day in UTC, and the refusal says what to do', async () => {
    const runs = [await social(`${search} --budget 4/day`), await social(`posts coffee --budget 4/day`)]
    expect(runs.map(({ code }) => code)).toEqual([0, 5])
    expect(runs[1]?.err).toBe(
      'social-search: not sent: it may cost 4 credits and the budget has 2 left until 2026-11-25 00:00 UTC. Wait, or raise --budget.\n',
    )
    expect((await social(`${search} --budget 4/day`)).code).toBe(0)
    expect((await social(`${search} --budget 4/day`)).code).toBe(5)
    vi.setSystemTime(new Date('2026-11-25T00:00:01Z'))
    expect((await social(`${search} --budget 4/day`)).code).toBe(0)
    expect(sandbox.ledger.spent).toBe(6)
  })

  it('says in one line that little is left, and until when', async () => {
    const runs = []
    for (const command of ['posts', 'search', 'search', 'search', 'search'])
      runs.push((await social(`${command} coffee --per-minute off --budget 10/day`)).err)
    expect(runs).toEqual([
      '',
      '',
      '',
      '2 of 10 credits of --budget are left until 2026-11-25 00:00 UTC\n',
      'social-search: not sent: it may cost 2 credits and the budget has 0 left until 2026-11-25 00:00 UTC. Wait, or raise --budget.\n',
    ])
  })

  it('is refused with another period, or in other words', async () => {
    const message =
      '--budget must be credits such as 20, or credits a period: 20/hour, 200/day or 6000/month; got '
    for (const text of ['4/week', '200 a day'])
      expect(await social([...search.split(' '), '--budget', text])).toMatchObject(failed(2, message + text))
  })
})

describe('social-search budget', () => {
  const setTo = (text: string) => social(`budget ${text}`)

  it('holds for commands that do not name it, beside their own --budget, until it is off', async () => {
    expect((await setTo('6/month')).out).toBe(
      'All commands together may spend 6 credits each month, in UTC\n',
    )
    expect((await social(`${search} --all --budget 2`)).err).toContain('and --budget has 0 left')
    expect((await social(`${search} --all`)).err).toContain(
      'the budget has 0 left until 2026-12-01 00:00 UTC. Wait, or raise the budget: social-search budget 12/month\n',
    )
    await social('logout')
    expect((await social(search)).code).toBe(5)
    await setTo('off')
    expect((await social(search)).code).toBe(0)
    expect(sandbox.ledger.spent).toBe(8)
  })

  it('says that waiting does not help when a call costs more than the whole budget', async () => {
    await setTo('20/day')
    const { err } = await social('comments https://x')
    expect(err).toContain(
      '20 left until 2026-11-25 00:00 UTC; the smallest --max-comments is 100. 20/day is too low for this call. Raise the budget: social-search budget 100/day\n',
    )
  })

  it('counts two limits of one period once, and keeps the lower one', async () => {
    await setTo('8/day')
    expect((await social(`${search} --budget 2/day`)).code).toBe(0)
    expect((await social(`${search} --budget 2/day`)).err).toContain(
      'has 0 left until 2026-11-25 00:00 UTC. Wait, or raise --budget.',
    )
    expect((await social(`${search} --budget 100/day --all`)).err).toContain(
      'has 0 left until 2026-11-25 00:00 UTC. Wait, or raise the budget',
    )
    expect(sandbox.ledger.spent).toBe(8)
  })

  it('counts by --cost-label in the file of --out, and refuses one that nothing would count', async () => {
    for (const label of ['acme', 'acme', 'constructor'])
      await social(`${search} --cost-label ${label} --out posts.db`)
    expect(JSON.parse((await social('describe posts.db')).out)).toMatchObject({
      labels: { acme: 4, constructor: 2 },
    })
    expect(await social(`${search} --cost-label acme`)).toMatchObject(failed(2, '--cost-label needs --out'))
    expect(await social(`${search} --cost-label a\u001b --out posts.db`)).toMatchObject(
      failed(2, 'a name of letters'),
    )
  })

  it('shows what is left, and which commands have spent the rest', async () => {
    expect((await social('budget')).out).toBe(
      'No budget is set for all commands. Set one: social-search budget 200/day\n',
    )
    await setTo('100/day')
    await social(`${search} --all --budget 6/hour`)
    await social('posts coffee --per-minute off')
    expect((await social('budget')).out).toBe(
      [
        '6/hour as last given with --budget, until 2026-11-24 23:00 UTC: 6 spent · 0 left',
        '         6  search',
        '100/day for all commands, until 2026-11-25 00:00 UTC: 10 spent · 90 left',
        '         6  search',
        '         4  posts\n',
      ].join('\n'),
    )
  })

  it.each([
    ['the one that is set', 'budget 20/day', '', '14 of 20 credits left', '6 spent · 14 left'],
    ['--budget, without those that do not name it', '', ' --budget 20/day', '16 of 20', '4 spent · 16 left'],
  ])('counts what the last line of `watch` counts: %s', async (_, first, flag, line, sums) => {
    if (first !== '') await social(first)
    await social(search)
    const watch = `watch coffee tea --once --per-minute off --out posts.db${flag}`
    expect((await social(watch)).err).toContain(line)
    expect((await social('budget')).out).toContain(sums)
  })

  it('says which commands a budget is for, also when it is off', async () => {
    await setTo('100/month')
    await social(search)
    await setTo('off')
    expect((await social('budget')).out).toBe(
      'No budget is set for all commands. Set one: social-search budget 200/day\n100/month as last given with --budget, until 2026-12-01 00:00 UTC: 2 spent · 98 left\n         2  search\n',
    )
  })

  it('names what was spent by commands that were killed, or before the clock was ahead', async () => {
    await setTo('100/day')
    await social(search)
    const file = new DatabaseSync(join(stateFolder, 'social-search/shared.sqlite'))
    const { changes } = file.prepare("DELETE FROM texts WHERE key LIKE '%spending-%'").run()
    file.close()
    expect(changes).toBe(1)
    expect((await social('budget')).out).toMatch(
      /: 2 spent · 98 left\n {9}2 {2}commands that were killed, or before a wrong clock\n$/,
    )
  })

  it('needs no key, and says without an address why it shows nothing spent', async () => {
    await setTo('100/day')
    await social(search)
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', '')
    expect((await social('budget')).out).toContain('2 spent · 98 left')
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', '')
    expect(await social('budget')).toEqual({
      code: 0,
      out: '100/day for all commands\nTo see what was spent, log in, or set SOCIAL_SEARCH_BASE_URL: each address has its own count\n',
      err: '',
    })
    expect(await setTo('off')).toMatchObject({ code: 0 })
    expect((await social('budget')).out).toMatch(
      /^No budget is set for all commands\..*\nTo see what was spent, log in/,
    )
  })

  it('is listed before anything is sent, so that it shows what a killed command may have spent', async () => {
    const store = memoryStore()
    const budget = new PeriodBudget(store, 'a', { limit: 4, every: 'day', isSet: false }, 'mcp')
    await budget.reserve(2, 'microblog.search')
    expect(await PeriodBudget.spending(store, 'a', 'day')).toMatchObject({ limit: 4, commands: {} })
  })

  it('lists a call under the day in which it was sent', async () => {
    const store = memoryStore()
    const budget = new PeriodBudget(store, 'a', { limit: 9, every: 'day', isSet: false }, 'search')
    const late = await budget.reserve(2, 'microblog.search')
    await late.renew?.()
    const waiting = await budget.reserve(3, 'microblog.search')
    vi.setSystemTime(new Date('2026-11-25T00:00:01Z'))
    late.settle(2)
    await waiting.renew?.()
    waiting.settle(3)
    await budget.close()
    expect(await PeriodBudget.spending(store, 'a', 'day')).toMatchObject({ commands: { search: 3 } })
  })

  it('is one for an address, however it is spelled', async () => {
    await setTo('4/day')
    const { SOCIAL_SEARCH_BASE_URL: address = '' } = process.env
    const spelled = [address, `${address}/`, address.replace('https:', 'HTTPS:'), `${address}//x/..`]
    for (const each of spelled) {
      vi.stubEnv('SOCIAL_SEARCH_BASE_URL', each)
      await social(search)
    }
    expect(sandbox.ledger.spent).toBe(4)
    expect((await social('budget')).out).toContain('4 spent · 0 left')
  })

  it('can be set and switched off when a newer version has set it in words of its own', async () => {
    await setTo('4/day')
    const file = new DatabaseSync(join(stateFolder, 'social-search/shared.sqlite'))
    const toNewer = () =>
      expect(file.prepare("UPDATE texts SET value = '4/week' WHERE key LIKE 'set-%'").run().changes).toBe(1)
    toNewer()
    const message =
      'this version cannot read the budget that is set. Set it again, or switch it off: social-search budget off'
    for (const command of [search, 'budget']) expect(await social(command)).toMatchObject(failed(1, message))
    expect(sandbox.requests).toEqual([])
    expect((await setTo('6/day')).code).toBe(0)
    expect((await social(search)).code).toBe(0)
    toNewer()
    expect((await setTo('off')).code).toBe(0)
    file.close()
    expect((await social(search)).code).toBe(0)
  })

  it('refuses credits without a period', async () => {
    const message = 'the budget must be credits a period: 20/hour, 200/day or 6000/month, or off; got '
    for (const text of ['200', "''", '4/week'])
      expect(await setTo(text)).toMatchObject(failed(2, message + text.replace("''", '')))
  })

  it('stops a command that cannot read the budget that is set', async () => {
    await setTo('8/day')
    writeFileSync(join(stateFolder, 'social-search/shared.sqlite'), 'broken '.repeat(1000))
    expect(await social(search)).toMatchObject(
      failed(1, 'shared.sqlite cannot be used: file is not a database'),
    )
    expect(sandbox.requests).toEqual([])
  })

  it('stops a command when the file does not have what was spent any more, and says what to do', async () => {
    await setTo('8/day')
    await social(search)
    change(
      join(stateFolder, 'social-search/shared.sqlite'),
      "UPDATE texts SET value = '{}' WHERE key LIKE '%budget-%'",
    )
    const lost =
      'the store has lost a part of what was spent; wait for the next period, or use another budget'
    for (const command of [search, 'budget']) expect(await social(command)).toMatchObject(failed(5, lost))
    expect((await social(`${search} --budget 8/hour`)).code).toBe(5)
    await setTo('8/hour')
    expect((await social(search)).code).toBe(0)
  })

  it('stops a command when its file was cut to nothing, until that is deleted', async () => {
    await setTo('8/day')
    const path = join(stateFolder, 'social-search/shared.sqlite')
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
    writeFileSync(path, '')
    const empty =
      'shared.sqlite cannot be used: it is empty, so what it held is lost; delete it to begin anew; budgets are there'
    for (const command of [search, 'budget', 'budget 8/day'])
      expect(await social(command)).toMatchObject(failed(1, empty))
    expect(sandbox.requests).toEqual([])
    rmSync(path)
    expect((await setTo('8/day')).code).toBe(0)
  })
})

describe('a command', () => {
  it('works where the shared file cannot be made, unless it needs a budget of a period', async () => {
    writeFileSync(join(stateFolder, 'social-search'), 'no folder')
    expect((await social('search coffee')).code).toBe(0)
    expect(await social('search coffee --budget 2/day')).toMatchObject(failed(1, 'EEXIST'))
  })
})
