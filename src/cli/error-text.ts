import {
  AuthenticationError,
  ConnectionError,
  CreditBudgetError,
  InvalidRequestError,
  SocialSearchError,
  ValidationError,
  isSocialSearchError,
} from '../errors/index.ts'
import * as words from '../errors/words.ts'
import { jsonOf } from '../extensions/export/fields.ts'
import { accountFlag, accountName } from './account.ts'
import { exitNameOf } from './command-errors.ts'
import { toStderr, styled, wrapped, localTime } from './terminal.ts'
import type { Operation } from '../api/operation.ts'
import { operationOf } from '../api/operations.ts'
import { type Issue, issuesText } from '../api/issues.ts'
import { durationText } from '../lib/count.ts'
import { messageOf } from '../lib/thrown.ts'
import { dateIn } from '../lib/time.ts'
import { type ParamFlag, paramFlags } from './flags.ts'
import { positionalOf } from './command-names.ts'
import { PeriodBudget, termsText } from './period-budget.ts'

/**
 * Reports an error.
 *
 * @param next The command that continues.
 * @param query The search that failed, of several.
 */
export function complain(error: unknown, next?: string, query?: string): void {
  if (exitNameOf(error) === 'done') return
  const of = query === undefined ? '' : `${query}: `
  const name = styled('red', 'social-search:', process.stderr)
  toStderr(`${name}${wrapped(`social-search: ${of}${errorText(error)}`, process.stderr).slice(14)}`, true)
  // A command stays in one line, so that it can be copied.
  if (next !== undefined) toStderr(`To continue: ${next}`)
  const paid = isSocialSearchError(error) ? error.body : undefined
  if (paid !== undefined) toStderr(`The response:\n${jsonOf(paid)}`)
}

/**
 * Tells a person what happened, what it cost, and what to do.
 *
 * @param isChecking Whether `doctor` itself has found it.
 */
export function errorText(error: unknown, isChecking = false): string {
  if (!(error instanceof SocialSearchError)) return messageOf(error)
  const sentences = [whatHappened(error), costOf(error), whatToDo(error, isChecking), proxyHint(error)]
  const said = sentences.filter((sentence) => sentence !== undefined)
  const texts = said.map((each, index) => {
    const text = typeof each === 'string' ? each : `${each.do}: ${each.command}`
    // A command at the end stays as it can be copied. What the service says may end with a period.
    const isWhole = index === said.length - 1 && (index === 0 || typeof each !== 'string')
    return isWhole || text.endsWith('.') ? text : `${text}.`
  })
  return texts.join(' ')
}

/** What happened, in the words of a user who has typed flags: the message without the call and the cost. */
function whatHappened(error: SocialSearchError): string {
  const { retryAfter } = error
  if (error instanceof InvalidRequestError && error.issues.length > 0) return words.notSent(issuesOf(error))
  if (error instanceof ValidationError && error.issues.length > 0)
    return `the service refused the request: ${issuesOf(error)}`
  if (error instanceof CreditBudgetError && error.refusedBy !== undefined) {
    const budget = error.budget.name === undefined ? '--budget' : 'the budget'
    const option = (name: string): string =>
      flagsOf(error).find(({ path }) => path[0] === name)?.name ?? '--expect N'
    return words.notSent(words.budgetTooLow(error.budget, { budget, option }))
  }
  return retryAfter === undefined ? error.what : `${error.what}; ${retryText(retryAfter)}`
}

/** `retry in 3 min (15:16)`, rounded up to a minute; without a time that no calendar has. */
function retryText(seconds: number): string {
  const time = localTime(dateIn(1000 * seconds + 59_999)?.toISOString())
  const at = time && ` (${seconds < 86_400 ? time.slice(11) : time})`
  return `retry in ${durationText(1000 * seconds)}${at ?? ''}`
}

/** The operation that failed. */
function failedOf({ operation = '' }: SocialSearchError): Operation | undefined {
  return operationOf(operation)
}

/** The flags of the call that failed. */
function flagsOf(error: SocialSearchError): readonly ParamFlag[] {
  const failed = failedOf(error)
  return failed === undefined ? [] : paramFlags(failed)
}

function issuesOf(error: SocialSearchError & { issues: readonly Issue[] }): string {
  const failed = failedOf(error)
  const flags = flagsOf(error)
  const named = error.issues.map(({ path, message }) => {
    const flag = flags.find((each) => `${path}.`.startsWith(`${each.path.join('.')}.`))?.name
    const argument = failed !== undefined && path === positionalOf(failed) ? `<${path}>` : path
    return { path: flag ?? argument, message }
  })
  return issuesText(named)
}

/** What the call has cost; undefined if nothing was sent, or if the call is free. */
function costOf(error: SocialSearchError): string | undefined {
  const { price } = failedOf(error) ?? {}
  const cost = words.costText(error)
  if (cost !== '') return cost
  const isSent = error.attempts.some(({ sent }) => sent !== null)
  return isSent && price !== undefined && price.kind !== 'free' ? 'Nothing was charged' : undefined
}

/** What to do: a sentence, perhaps with a command that does it. */
type Advice = string | { readonly do: string; readonly command: string }

function whatToDo(error: SocialSearchError, isChecking: boolean): Advice | undefined {
  if (error instanceof InvalidRequestError && error.option) return 'To send it anyway, use --extra-params'
  if (refusesCursor(error))
    return 'To start over at the first page, run the command without --resume or --cursor'
  if (error instanceof AuthenticationError)
    return process.env['SOCIAL_SEARCH_API_KEY'] && accountName() === undefined
      ? 'Replace the key in SOCIAL_SEARCH_API_KEY'
      : { do: 'Log in again', command: `social-search login${accountFlag()}` }
  // The 403 of a firewall has nothing to do with the key.
  const { gateway, requiredScopes } = error as { gateway?: true; requiredScopes?: readonly string[] }
  if (requiredScopes !== undefined && !gateway)
    return `Create a key with ${requiredScopes.join(' and ')} under Integrations > API keys, then run social-search login${accountFlag()}`
  if (error instanceof ConnectionError && error.phase !== 'exchange' && !isChecking)
    return { do: 'Check', command: `social-search doctor${accountFlag()}` }
  if (error instanceof CreditBudgetError && error.refusedBy !== undefined) return adviceOn(error)
  // The response is printed below, and a time to retry is a part of what happened.
  const isSaid = (error.body !== undefined && !words.isPage(error.body)) || error.retryAfter !== undefined
  return (!isSaid && words.whatToDo(error)) || undefined
}

/** Whether the service knows a cursor no more. */
function refusesCursor(error: SocialSearchError): boolean {
  const paging = failedOf(error)?.paging
  const isCursor = ({ path }: Issue): boolean => paging?.kind === 'cursor' && path === paging.param
  return error instanceof ValidationError && error.issues.some(isCursor)
}

/** What to do when a budget has too little left. */
function adviceOn({ budget: { needed }, refusedBy }: CreditBudgetError): Advice {
  if (!(refusedBy instanceof PeriodBudget)) return 'Raise --budget'
  const { terms, isSet } = refusedBy
  const what = needed > terms.limit ? `${termsText(terms)} is too low for this call. Raise` : 'Wait, or raise'
  if (!isSet) return `${what} --budget`
  const command = `social-search budget ${Math.max(needed, 2 * terms.limit)}/${terms.every}${accountFlag()}`
  return { do: `${what} the budget`, command }
}

/** Codes of hosts that may only be reached through a proxy. */
const unreachable = ['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

/** What to do if the proxy of the environment was not used; undefined for other errors. */
function proxyHint(error: unknown): string | undefined {
  const { HTTPS_PROXY, https_proxy: lowerCase, NODE_USE_ENV_PROXY: isUsed } = process.env
  if (!(error instanceof ConnectionError) || !unreachable.includes(error.reason)) return undefined
  if (!(HTTPS_PROXY ?? lowerCase) || isUsed === '1') return undefined
  return 'HTTPS_PROXY is set, but Node ignores it. Set NODE_USE_ENV_PROXY=1 as well (Node 22.21 or later)'
}
