import { describe, expect, it } from 'vitest'
import { CreditBudget } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { makeClient, ok, scriptedService } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

describe('client.credits', () => {
  it.each([-5, -0.5, 1.5, 1e300, '5', null])(
    'counts the highest cost as uncertain when the service reports %j credits',
    async (creditsCharged) => {
      const meta = { returnedCount: 0, creditsCharged }
      service.script(ok({ requestId: 'r', comments: [], meta }))
      const budget = new CreditBudget(150)
      const client = makeClient({ budget, validation: 'off' })
      const params = { postUrl: 'https://network.example/p', maxComments: 100 }
      await settle(client.professionalnet.posts.comments(params))
      expect(client.credits).toMatchObject({ spent: 0, uncertain: 100, reserved: 0 })
      expect(budget.remaining).toBe(50)
    },
  )
})
