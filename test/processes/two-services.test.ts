import { describe, expect, it } from 'vitest'
import { runKills } from './two-services/run.ts'

/** KILLS=500 takes some minutes, and stops processes for longer than their lock lasts. */
const kills = Number(process.env['KILLS'] ?? 40)

describe.skipIf(process.platform === 'win32')('login, logout, watch and refreshes of two services', () => {
  it(
    'keep each token to its service and use each refresh token once when processes are killed',
    { timeout: kills * 5000 + 120_000 },
    async () => {
      const { problems, counts } = await runKills(kills, Math.floor(kills / 100))
      if (kills > 0) console.log(counts)
      expect(problems).toEqual([])
      expect(counts['killed']).toBeGreaterThanOrEqual(kills)
      // Otherwise, it has tried out little.
      for (const name of ['alpha refreshed', 'beta refreshed', 'killedInLock', 'logout exit 0'])
        expect(counts).toHaveProperty([name])
    },
  )
})
