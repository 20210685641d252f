import type { RetryOptions, SharedOptions } from './types.ts'
import { ConfigurationError } from '../../errors.ts'
import {
  assertFunction,
  assertMethod,
  assertObject,
  assertOptions,
  milliseconds,
  shown,
  shownWord,
  wholeNumber,
} from '../lib/assert.ts'
import { createLog } from '../lib/logger.ts'
import type { Redactor } from '../lib/redact.ts'
import type { RetryPolicy } from '../retry/policy.ts'
import type { Settings } from './settings.ts'

/**
 * Applies options to settings. Budgets add up, so that a call cannot drop a limit; headers merge; other options
 * replace.
 */
export function merge<Base extends Omit<Settings, 'limiter'>>(settings: Base, options: SharedOptions): Base {
  const { timeout, deadline, retry, validation, budget, headers, middleware, logger, onWait } = options
  if (validation !== undefined && !['strict', 'lenient', 'off'].includes(validation)) {
    throw new ConfigurationError(`validation must be strict, lenient or off, got ${shownWord(validation)}`)
  }
  if (budget !== undefined) assertMethod('budget', budget, 'reserve')
  if (logger !== undefined) assertObject('logger', logger)
  if (onWait !== undefined) assertFunction('onWait', onWait)
  if (
    middleware !== undefined &&
    !(Array.isArray(middleware) && middleware.every((layer) => typeof layer === 'function'))
  ) {
    throw new ConfigurationError('middleware must be an array of functions')
  }
  return {
    ...settings,
    ...(timeout !== undefined && { timeoutMs: milliseconds('timeout', timeout) }),
    ...(deadline !== undefined && { deadlineMs: milliseconds('deadline', deadline) }),
    ...(retry !== undefined && { retry: resolveRetry(retry) }),
    ...(validation !== undefined && { validation }),
    ...(budget !== undefined && { budgets: [...new Set([...settings.budgets, budget])] }),
    ...(headers !== undefined && { headers: resolveHeaders(settings.headers, headers, settings.redactor) }),
    ...(middleware !== undefined && { middleware }),
    ...(onWait !== undefined && { onWait }),
    ...(logger !== undefined && { log: createLog(logger, settings.redactor) }),
  }
}

export const defaultRetry: RetryPolicy = { ambiguous: false, maxAttempts: Infinity, maxWaitMs: 60_000 }

function resolveRetry(retry: RetryOptions | false): RetryPolicy {
  if (retry === false) return { ...defaultRetry, maxAttempts: 1 }
  assertOptions(retry, { ambiguous: true, maxAttempts: true, maxWait: true }, 'retry')
  const { ambiguous = defaultRetry.ambiguous, maxAttempts, maxWait } = retry
  if (typeof ambiguous !== 'boolean') {
    throw new ConfigurationError(`retry.ambiguous must be true or false, got ${shown(ambiguous)}`)
  }
  return {
    ambiguous,
    maxAttempts:
      maxAttempts === undefined ? defaultRetry.maxAttempts : wholeNumber('retry.maxAttempts', maxAttempts),
    maxWaitMs: maxWait === undefined ? defaultRetry.maxWaitMs : milliseconds('retry.maxWait', maxWait),
  }
}

function resolveHeaders(
  base: Headers,
  headers: NonNullable<SharedOptions['headers']>,
  redactor: Redactor,
): Headers {
  assertObject('headers', headers)
  const merged = new Headers(base)
  for (const [name, value] of headers instanceof Headers ? headers : Object.entries(headers)) {
    if (name.toLowerCase() === 'authorization') {
      throw new ConfigurationError('headers must not hold Authorization; pass apiKey or auth')
    }
    try {
      merged.set(name, value)
    } catch {
      // The runtime's own error repeats the value, which may be a secret.
      const given = redactor.text(JSON.stringify(name))
      throw new ConfigurationError(`the header ${given} has a name or value that cannot be sent`)
    }
  }
  return merged
}
