import type { Issue } from '../../api/issues.ts'
import { type Charged, SocialSearchError } from '../../errors/index.ts'
import { costText } from '../../errors/words.ts'
import { kindOf } from '../../errors/kinds.ts'
import { isA } from '../../lib/thrown.ts'
import { cutText } from './compact.ts'
import type { ToolFailure } from './types.ts'

/** Codes of failures that the tools raise themselves. */
export type RefusalCode = 'invalid_request' | 'unknown_handle' | 'confirmation' | 'cancelled' | 'rate_limited'

/** A call that the tools refuse. Nothing was sent. */
export class ToolRefusal extends Error {
  readonly code: RefusalCode
  readonly issues: readonly Issue[] | undefined

  constructor(code: RefusalCode, message: string, issues?: readonly Issue[]) {
    super(message)
    this.code = code
    this.issues = issues
  }
}

/** The reason of a signal that ends a call because its caller waits no longer. */
export class StillWaiting extends Error {}

export function isRefusal(error: unknown, code: RefusalCode): boolean {
  return isA(error, ToolRefusal) && error.code === code
}

/** What a model should do about an error; codes that are not listed leave it to the message. */
const advice: Readonly<Record<string, string>> = {
  invalid_request: 'Correct the arguments and call again; nothing was charged.',
  validation_error: 'Correct the arguments and call again; nothing was charged.',
  unauthorized: 'Stop, and tell the user that the credential does not work.',
  closed: 'Stop; this session is over.',
  credit_budget: 'Ask for less, or stop and answer with what you have.',
  invalid_response: 'The response is part of this result, as far as it can be read.',
}

/**
 * @param canBuy Whether the budget has enough left for the cheapest tool.
 * @param charged Whether an error from outside this package was charged.
 */
export function failureOf(error: unknown, canBuy: boolean, charged: Charged = 'unknown'): ToolFailure {
  if (isA(error, ToolRefusal)) {
    const { code, message, issues } = error
    return {
      code,
      message: withAdvice(cutText(message, 500), code),
      ...listed(issues),
      charged: 'no',
      stop: false,
    }
  }
  if (error instanceof SocialSearchError) return failureOfCall(error, canBuy)
  return { code: 'internal', message: 'The call failed in an unexpected way.', charged, stop: false }
}

function failureOfCall(error: SocialSearchError, canBuy: boolean): ToolFailure {
  const { applied, retryAfter } = error
  const code: string = error.code
  // No further call can succeed.
  const isFinal = kindOf(error) === 'credentials' || code === 'closed' || code === 'configuration'
  const wait = retryAfter === undefined ? '' : ` Wait ${retryAfter} seconds before you call again.`
  const doubt =
    error.charged === 'unknown'
      ? ' Do not repeat it unless you need it: it may be charged twice.'
      : applied === 'unknown'
        ? ' Read it before you repeat the change.'
        : ''
  const told = canBuy
    ? withAdvice([cutText(error.what, 500), costText(error)].filter(Boolean).join('. '), code)
    : 'The budget has too little left for any tool that costs credits. Stop calling them, and answer with what you have.'
  return {
    code,
    message: `${told}${wait}${doubt}`,
    ...listed((error as { issues?: readonly Issue[] }).issues),
    ...(retryAfter !== undefined && { retryAfter }),
    charged: error.charged,
    ...(applied !== undefined && { applied }),
    stop: !canBuy || isFinal,
  }
}

function withAdvice(message: string, code: string): string {
  const then = advice[code]
  return `${message}.${then === undefined ? '' : ` ${then}`}`
}

function listed(issues: readonly Issue[] = []): { issues?: readonly Issue[] } {
  if (issues.length === 0) return {}
  return {
    issues: issues
      .slice(0, 10)
      .map(({ path, message }) => ({ path: cutText(path, 200), message: cutText(message, 300) })),
  }
}
