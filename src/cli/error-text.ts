import {
  InvalidResponseError,
  PaginationError,
  AuthenticationError,
  ConnectionError,
  CreditBudgetError,
  InvalidRequestError,
  PermissionDeniedError,
  SocialSearchError,
  ValidationError,
  budgetText,
} from '../errors/index.ts'
import { say, styled, wrapped, localTime } from './terminal.ts'
import { operations } from '../api/operations.ts'
import type { Issue } from '../api/issues.ts'
import { timeText } from '../lib/count.ts'
import { messageOf } from '../lib/thrown.ts'
import { type ParamFlag, paramFlags, positionalOf } from './flags.ts'
import { raiseText } from './period-budget.ts'

/**
 * Reports an error.
 *
 * @param next The command that continues.
 */
export function complain(error: unknown, next?: string): void {
  const name = styled('red', 'social-search:', process.stderr)
  say(`${name}${wrapped(`social-search: ${errorText(error)}`, process.stderr).slice(14)}`, true)
  // A command stays in one line, so that it can be copied.
  if (next !== undefined) say(`To continue: ${next}`)
  const paid = paidData(error)
  if (paid !== undefined) say(`The response, which may have been charged:\n${JSON.stringify(paid)}`)
}

function paidData(error: unknown): unknown {
  return error instanceof InvalidResponseError || error instanceof PaginationError ? error.body : undefined
}

/**
 * Tells a person what happened, what it cost, and what to do.
 *
 * @param isChecking Whether `doctor` itself has found it.
 */
export function errorText(error: unknown, isChecking = false): string {
  if (!(error instanceof SocialSearchError)) return messageOf(error)
  const sentences = [whatHappened(error), costOf(error), whatToDo(error, isChecking), proxyHint(error)]
  const text = sentences.filter((sentence) => sentence !== undefined).join('. ')
  // A command at the end stays as it can be copied.
  return /: social-search [ \w./]+$/.test(text) || !text.includes('. ') ? text : `${text}.`
}

/** The message, without the operation, which the user has typed, and with flags in place of params and options. */
function whatHappened(error: SocialSearchError): string {
  const { message, operation, retryAfter } = error as SocialSearchError & { retryAfter?: number }
  if (error instanceof InvalidRequestError && error.issues.length > 0) return issuesOf(error)
  if (error instanceof ValidationError && error.issues.length > 0)
    return `the service refused the request: ${issuesOf(error)}`
  if (error instanceof CreditBudgetError && error.code === 'credit_budget')
    return budgetText(error, {
      budget: error.budget === undefined ? '--budget' : 'the budget',
      option: (name) => flagsOf(error).find(({ path }) => path[0] === name)?.name ?? '--expect N',
    })
  const text = message.replace(`${operation}: `, '')
  return retryAfter === undefined ? text : text.replace(`retry in ${retryAfter} s`, retryText(retryAfter))
}

/** `retry in 3 minutes (15:16)`, rounded up to a minute. */
function retryText(seconds: number): string {
  const time = localTime(new Date(Date.now() + 1000 * seconds + 59_999).toISOString()) ?? ''
  return `retry in ${timeText(1000 * seconds, Math.ceil)} (${seconds < 86_400 ? time.slice(11) : time})`
}

/** The flags of the call that failed. */
function flagsOf({ operation }: SocialSearchError): readonly ParamFlag[] {
  const found = operations.find(({ id }) => id === operation)
  return found === undefined ? [] : paramFlags(found)
}

function issuesOf(error: SocialSearchError & { issues: readonly Issue[] }): string {
  const { operation, issues } = error
  const found = operations.find(({ id }) => id === operation)
  const flags = flagsOf(error)
  const texts = issues.map(({ path, message }) => {
    const flag = flags.find((each) => `${path}.`.startsWith(`${each.path.join('.')}.`))?.name
    const argument = found !== undefined && path === positionalOf(found) ? `<${path}>` : path
    return `${flag ?? argument} ${message}`.trimStart()
  })
  return [...texts.slice(0, 3), ...(texts.length > 3 ? [`and ${texts.length - 3} more`] : [])].join('; ')
}

/** What the message does not say about the cost. */
function costOf({ charged, applied, message, operation, code }: SocialSearchError): string | undefined {
  if (code === 'invalid_request') return 'Nothing was sent'
  const { price } = operations.find(({ id }) => id === operation) ?? {}
  if (charged === 'yes') return 'It was charged'
  const isTold = charged === 'unknown' || applied === 'unknown' || /not(hing was)? sent/.test(message)
  return isTold || price === undefined || price.kind === 'free' ? undefined : 'Nothing was charged'
}

function whatToDo(error: SocialSearchError, isChecking: boolean): string | undefined {
  if (error instanceof InvalidRequestError && error.option) return 'To send it anyway, use --extra-params'
  if (error instanceof AuthenticationError)
    return process.env['SOCIAL_SEARCH_API_KEY']
      ? 'Replace the key in SOCIAL_SEARCH_API_KEY'
      : 'Log in again: social-search login'
  if (error instanceof PermissionDeniedError && error.requiredScopes !== undefined)
    return `Create a key with ${error.requiredScopes.join(' and ')} under Integrations > API keys, then run social-search login`
  if (error instanceof ConnectionError && refusedPort.test(error.reason))
    return 'This port is on the list that fetch blocks, as browsers do. Use another port'
  if (error instanceof ConnectionError && error.phase !== 'exchange' && !isChecking)
    return 'Check: social-search doctor'
  if (error instanceof CreditBudgetError && error.code === 'credit_budget') return raiseText(error)
  return undefined
}

/** What Node and Bun say of a port on fetch's list of blocked ports. */
const refusedPort = /^bad port$|port \d+ are blocked/

/** Codes of hosts that may only be reached through a proxy. */
const unreachable = ['ENOTFOUND', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT']

/** What to do if the proxy of the environment was not used; undefined for other errors. */
function proxyHint(error: unknown): string | undefined {
  const { HTTPS_PROXY, https_proxy: lowerCase, NODE_USE_ENV_PROXY: isUsed } = process.env
  if (!(error instanceof ConnectionError) || !unreachable.includes(error.reason)) return undefined
  if (!(HTTPS_PROXY ?? lowerCase) || isUsed === '1') return undefined
  return 'HTTPS_PROXY is set, but Node ignores it. Set NODE_USE_ENV_PROXY=1 as well (Node 22.21 or later)'
}
