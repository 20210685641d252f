import type { PeriodAccount, PeriodBook } from '../../extend.ts'
import { type StateHead, emptyHead, readState } from './text-format.ts'

/** Credits by the name of their period. */
export type ByPeriod = Record<string, number>

/** What one process has told the others of a budget. */
export interface Part {
  /** Credits of its open reservations. */
  reserved: ByPeriod
  /** Credits that it had reserved when it fell silent; they count as uncertain until it comes back. */
  abandoned: ByPeriod
  /** When its reservations count as abandoned. */
  until: number
  /** How many of its outcomes are counted, since it may tell one twice. */
  told: number
}

/** What all processes have spent in a period. */
export interface Account extends PeriodAccount {
  spent: number
  uncertain: number
}

/** All that processes share of a budget. Times are of the store's clock, in milliseconds since 1970. */
export interface BudgetState extends StateHead, PeriodBook<Account> {
  parts: Record<string, Part>
}

export const emptyAccount: Account = { spent: 0, uncertain: 0, isLost: false }

/** What each text of a budget has. */
const example: BudgetState = {
  ...emptyHead,
  accounts: { '*': { spent: 0, uncertain: 0, isLost: false } },
  forgotten: '',
  parts: { '*': { reserved: { '*': 0 }, abandoned: { '*': 0 }, until: 0, told: 0 } },
}

/** Reads the text of a budget; undefined if it is none. */
export function readBudget(text: string | undefined): BudgetState | undefined {
  return readState(text, example)
}
