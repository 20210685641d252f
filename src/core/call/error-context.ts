import { firstIssues } from '../../api/issues.ts'
import type { Operation } from '../../api/operation.ts'
import { type Charged, type ErrorContext, InvalidRequestError } from '../../errors/index.ts'
import type { Redactor } from '../../lib/redact.ts'
import { isOption } from '../options/merge.ts'
import { effectOf } from '../retry/policy.ts'
import { type ComposedRequest, paramsOf } from './compose-request.ts'

/** What every error of a request has: `next` holds the params of the failed page, if the operation has pages. */
export function contextOf(
  operation: Operation,
  request: ComposedRequest,
  tookEffect: Charged = 'no',
): ErrorContext {
  const { id, paging, price } = operation
  const context = {
    operation: id,
    next: paging && paramsOf(request),
    hasCeiling: price.kind === 'perItem',
  }
  if (effectOf(operation) !== 'write') return { ...context, charged: tookEffect }
  return { ...context, applied: tookEffect === 'no' ? tookEffect : 'unknown' }
}

export function worstOf(all: readonly Charged[]): Charged {
  return all.includes('yes') ? 'yes' : all.includes('unknown') ? 'unknown' : 'no'
}

/** The error of a request with issues. It says which of them are options. */
export function refusalOf(
  operation: Operation,
  request: ComposedRequest,
  redactor: Redactor,
): InvalidRequestError {
  const issues = firstIssues(request.issues, (text) => redactor.text(text))
  for (const issue of operation.documented ? issues : [])
    if (isOption(issue.path, operation)) issue.message += '; it is an option, passed after the params'
  const subject = operation.method === 'PATCH' || operation.method === 'PUT' ? 'the body' : 'params'
  return new InvalidRequestError(issues, { ...contextOf(operation, request), subject })
}
