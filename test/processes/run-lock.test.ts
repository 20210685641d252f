import { describe, expect, it } from 'vitest'
import { toNodeListener } from '../../src/extensions/node/index.ts'
import { serve, server, social, useCommand } from './command.ts'

useCommand()

describe('two runs of a job at once', () => {
  it.each(['search coffee --out x.db', 'watch coffee --once --out y.db'])(
    'pay once, and one of them says so: %s',
    async (line) => {
      // No answer comes before one of them has ended.
      const isOneOver = Promise.withResolvers<void>()
      const later = toNodeListener((request) => isOneOver.promise.then(() => server.fetch(request)))
      const env = { SOCIAL_SEARCH_BASE_URL: `${await serve(later)}${new URL(server.baseUrl).pathname}` }
      const runs = [social(line, { env }), social(line, { env })]
      void Promise.race(runs).then(() => isOneOver.resolve())
      const both = await Promise.all(runs)
      expect(both.map(({ code }) => code).sort()).toEqual([0, 2])
      expect(both.map(({ err }) => err).join('')).toMatch(/is in use by another run/)
      expect(server.requests).toHaveLength(1)
    },
  )
})
