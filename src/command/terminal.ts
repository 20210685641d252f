import {
  InvalidResponseError,
  PaginationError,
  ReauthorizationRequiredError,
  SocialSearchError,
} from '../errors.ts'
import type { SharedFlags } from './options.ts'

let isClosed = false
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // Who reads the output has seen enough, as `head` does.
  if (error.code !== 'EPIPE') throw error
  isClosed = true
})

/** Writes data; false if nobody reads it any more. */
export async function print(text: string): Promise<boolean> {
  if (isClosed) return false
  if (text === '') return true
  await new Promise<void>((resolve) => void process.stdout.write(text, () => resolve()))
  // The stream says so a moment later.
  await new Promise((resolve) => setImmediate(resolve))
  return !isClosed
}

/** Tells somebody at a terminal something; not if they want quiet. */
export function tell({ quiet }: SharedFlags, message: string): void {
  if (quiet !== true && process.stderr.isTTY) process.stderr.write(`${clearLine()}${message}\n`)
}

/** Shows how far a job is, on a terminal only. */
export function showProgress({ quiet }: SharedFlags, message: string): void {
  if (quiet !== true && process.stderr.isTTY) process.stderr.write(`${clearLine()}${message}`)
}

function clearLine(): string {
  return process.stderr.isTTY ? '\r\u001b[K' : ''
}

/** Says why the command failed: in a line, or as one JSON object with the fields of the error. */
export function complain({ json }: SharedFlags, error: unknown, next?: string): void {
  const { name, message } = error as Error
  const paid = paidData(error)
  if (json === true) {
    const fields =
      error instanceof SocialSearchError ? error.toJSON() : { name, code: codeOf(error), message }
    const all = {
      ...fields,
      ...(paid !== undefined && { body: paid }),
      ...(next !== undefined && { resume: next }),
    }
    process.stderr.write(`${JSON.stringify(all)}\n`)
    return
  }
  const lines = [`social-search: ${message}`]
  if (error instanceof ReauthorizationRequiredError) lines.push('To go on: run social-search login again')
  if (next !== undefined) lines.push(`To go on: ${next}`)
  if (paid !== undefined) lines.push('The answer, which may have been charged:', JSON.stringify(paid))
  process.stderr.write(`${clearLine()}${lines.join('\n')}\n`)
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code ?? 'failed'
}

/** Data that was paid for, and that the output does not have. */
function paidData(error: unknown): unknown {
  if (error instanceof InvalidResponseError) return error.body
  return error instanceof PaginationError ? error.page : undefined
}
