import { InvalidResponseError, PaginationError } from '../errors/index.ts'
import { errorText } from './error-text.ts'
import { say, styled, wrapped } from './terminal.ts'

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
