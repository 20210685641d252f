import type { Cause } from './gate.ts'
import type { Outcome } from './measure.ts'

/** A figure over all seeds. */
interface Spread {
  readonly mean: number
  readonly worst: number
}

/** The result of a strategy in a scenario, over all seeds. */
export interface Summary {
  readonly scenario: string
  readonly strategy: string
  readonly runs: number
  readonly ratio: Spread
  /** Number of 429s. */
  readonly refused: Spread
  /** Means, which add up to `refused`. */
  readonly causes: Readonly<Record<Cause, number>>
  readonly failed: Spread
  /** Runs that reached the time limit; their ratio is the one at that time. */
  readonly cutOff: number
  /** Share of the foreign requests that were admitted, or null without any. */
  readonly foreignServed: number | null
  readonly optimumMs: number
}

export function summarize(scenario: string, strategy: string, outcomes: readonly Outcome[]): Summary {
  const refusedFor = (cause: Cause): number[] =>
    outcomes.map(({ arrivals }) => arrivals.filter(({ refused }) => refused === cause).length)
  const foreignSent = sum(outcomes.map(({ foreign }) => foreign.sent))
  return {
    scenario,
    strategy,
    runs: outcomes.length,
    ratio: spread(outcomes.map(({ ratio }) => ratio)),
    refused: spread(
      outcomes.map(({ arrivals }) => arrivals.filter(({ refused }) => refused !== null).length),
    ),
    causes: {
      pace: mean(refusedFor('pace')),
      'in-flight': mean(refusedFor('in-flight')),
      foreign: mean(refusedFor('foreign')),
    },
    failed: spread(outcomes.map(({ failed }) => failed)),
    cutOff: outcomes.filter(({ isCutOff }) => isCutOff).length,
    foreignServed:
      foreignSent === 0 ? null : sum(outcomes.map(({ foreign }) => foreign.served)) / foreignSent,
    optimumMs: mean(outcomes.map(({ optimumMs }) => optimumMs)),
  }
}

function spread(figures: readonly number[]): Spread {
  return { mean: mean(figures), worst: Math.max(...figures) }
}

function mean(figures: readonly number[]): number {
  return sum(figures) / figures.length
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0)
}
