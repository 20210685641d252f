import type { Outcome } from '../responses.ts'
import type { SandboxLedger } from '../types.ts'

/** The organization's description of its business. The shape is made up: the service does not document it. */
export function contextOf(): Outcome {
  return {
    body: {
      context: {
        name: 'Kettle & Commit',
        description: 'A made-up company that roasts coffee for people who write software.',
        website: 'https://kettle-and-commit.example/',
        industry: 'Coffee Roasting',
        products: ['Release Roast', 'Decaf Hotfix', 'The Standup Sampler'],
        competitors: ['Brambleford Coffee', 'Harbour Bean'],
        audience: 'Developers who care about both of their grinders',
        language: 'en',
      },
    },
  }
}

/** The credits that the sandbox has charged. The shape is made up. */
export function usageOf({ spent, byOperation }: SandboxLedger): Outcome {
  return {
    body: {
      usage: {
        periodStart: '2026-11-01T00:00:00.000Z',
        periodEnd: '2026-12-01T00:00:00.000Z',
        creditsSpent: spent,
        byOperation: { ...byOperation },
      },
    },
  }
}
