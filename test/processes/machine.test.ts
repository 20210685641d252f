import { expect, it } from 'vitest'
import { server, social, useCommand } from './command.ts'

useCommand({ limits: { perMinute: 20, inFlight: 2 }, latency: [600, 700] })

it.each(['', ' --per-minute 40', ' --per-minute off'])(
  'commands that run at once share two requests in flight, so the service refuses none with search coffee%s',
  async (flag) => {
    const runs = await Promise.all(
      Array.from({ length: 6 }, () => social(`search coffee --max-pages 2${flag}`)),
    )
    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0])
    expect(server.requests.map(({ status }) => status)).toEqual(Array(12).fill(200))
  },
)

it('commands that run at once keep a budget of a month exactly', async () => {
  const line = 'search coffee --max-pages 3 --budget 20/month'
  const runs = await Promise.all(Array.from({ length: 5 }, () => social(line)))
  expect(server.ledger.spent).toBe(20)
  // They take turns, so all of them may be short of a page.
  expect(runs.map(({ code }) => code)).toContain(5)
  expect(runs.filter(({ code }) => code !== 0 && code !== 5)).toEqual([])
})
