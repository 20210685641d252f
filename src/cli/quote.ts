import { text as textOf } from 'node:stream/consumers'
import { operationOf, operations } from '../api/operations.ts'
import { quoteOf } from '../core/credits/quote.ts'
import { type SharedFlags, paramsOf, wholeNumberOf } from './flags.ts'
import { print, wrapped } from './terminal.ts'
import { UsageError } from './command-errors.ts'

/** Prints what a job costs at most. Needs no key, and sends nothing. */
export async function quote(
  id: string,
  flags: SharedFlags & { pages: string; ceiling?: string },
): Promise<number> {
  const operation = operationOf(id)
  if (operation === undefined)
    throw new UsageError(
      `unknown operation ${id}; expected one of ${operations.map(({ id }) => id).join(', ')}`,
    )
  const open = flags.params === '-' ? await textOf(process.stdin) : flags.params
  const { params } = paramsOf(operation, undefined, {}, open)
  const bound = operation.price.kind === 'perItem' ? operation.price.ceiling?.param : undefined
  const result = quoteOf(operation, bound === undefined ? undefined : params[bound], {
    pages: wholeNumberOf('--pages', flags.pages),
    ...(flags.ceiling !== undefined && { ceiling: wholeNumberOf('--ceiling', flags.ceiling) }),
  })
  const { atMost, why } = result
  const text = atMost === null ? `no bound: ${why}` : `at most ${atMost} credits: ${why}`
  await print(`${process.stdout.isTTY ? wrapped(text, process.stdout) : JSON.stringify(result)}\n`)
  return 0
}
