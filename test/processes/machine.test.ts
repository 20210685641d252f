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
