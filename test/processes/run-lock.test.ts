import { describe, expect, it } from 'vitest'
import { server, social, useCommand } from './command.ts'

useCommand()

describe('two runs of a job at once', () => {
  it.each(['search coffee --out x.jsonl', 'search coffee --out x.db', 'watch coffee --once --state x.json'])(
    'pay once, and one of them says so: %s',
    async (line) => {
      server.inject({ delay: 1500 })
      const both = await Promise.all([social(line), social(line)])
      expect(both.map(({ code }) => code).sort()).toEqual([0, 2])
      expect(both.map(({ err }) => err).join('')).toMatch(/is in use by another run|x\.jsonl exists/)
      expect(server.requests).toHaveLength(1)
    },
  )
})
