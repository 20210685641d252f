import { quoteOf } from '../core/credits/quote.ts'
import { type SharedFlags, operationNamed, paramsOf, wholeNumberOf } from './flags.ts'
import { print, wrapped } from './terminal.ts'

/** Prints what a job costs at most. Needs no key, and sends nothing. */
export async function quote(
  words: readonly string[],
  flags: SharedFlags & { pages: string; ceiling?: string },
): Promise<void> {
  const operation = operationNamed(words)
  const { params } = await paramsOf(operation, flags)
  const bound = operation.price.kind === 'perItem' ? operation.price.ceiling?.param : undefined
  const result = quoteOf(operation, bound === undefined ? undefined : params[bound], {
    pages: wholeNumberOf('--pages', flags.pages),
    ...(flags.ceiling !== undefined && { ceiling: wholeNumberOf('--ceiling', flags.ceiling) }),
  })
  const { atMost, why } = result
  const text = atMost === null ? `no bound: ${why}` : `at most ${atMost} credits: ${why}`
  await print(`${process.stdout.isTTY ? wrapped(text, process.stdout) : JSON.stringify(result)}\n`)
}
