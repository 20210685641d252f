import { InvalidResponseError, PaginationError, SocialSearchError } from '../errors/index.ts'
import { messageOf } from '../lib/thrown.ts'
import { errorText } from './error-text.ts'
import type { SharedFlags } from './flags.ts'
import { say, styled, wrapped } from './terminal.ts'

/**
 * Reports an error: its message, or with `--json` one object with its fields.
 *
 * @param next The command that continues.
 * @param paid Paid data that could not be written.
 */
export function complain(
  { json }: SharedFlags,
  error: unknown,
  next?: string,
  paid: unknown = paidData(error),
): void {
  const fields = fieldsOf(error)
  if (json === true) {
    say(JSON.stringify({ ...fields, ...(paid !== undefined && { body: paid }), resume: next }))
    return
  }
  const name = styled('red', 'social-search:', process.stderr)
  say(`${name}${wrapped(`social-search: ${errorText(error)}`, process.stderr).slice(14)}`, true)
  // A command stays in one line, so that it can be copied.
  if (next !== undefined) say(`To continue: ${next}`)
  if (paid !== undefined) say(`The response, which may have been charged:\n${JSON.stringify(paid)}`)
}

/** The fields of an error for `--json`. */
function fieldsOf(error: unknown): { readonly message: string } {
  if (error instanceof SocialSearchError) return error.toJSON() as SocialSearchError
  const { name = 'Error', code = 'failed' } = (error ?? {}) as Partial<Error & { code: string }>
  return { name, code, message: messageOf(error) } as { readonly message: string }
}

function paidData(error: unknown): unknown {
  if (error instanceof InvalidResponseError) return error.body
  return error instanceof PaginationError ? error.page : undefined
}
