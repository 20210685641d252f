import { organizationLimits } from '../api/limits.ts'
import type { Operation } from '../api/operation.ts'
import { operations } from '../api/operations.ts'
import type { Quote } from '../index.ts'
import { quoteOf } from '../extend.ts'
import { count, timeText } from '../lib/count.ts'
import { UsageError } from './command-errors.ts'
import { type SharedFlags, paramsOf } from './flags.ts'
import { commandOf } from './names.ts'
import { walkOptions } from './options.ts'
import { print, wrapped } from './terminal.ts'

/** A quote of a walk; with `--all`, the number of pages is not known. */
export type WalkQuote = Omit<Quote, 'duration'> & { readonly duration: number | null }

/** Prints what a job costs at most, and how long it takes at least. Needs no key, and sends nothing. */
export async function quote(words: readonly string[], flags: SharedFlags): Promise<void> {
  const operation = operationNamed(words)
  const result = quoteFor(operation, paramsOf(operation, flags).params, flags)
  const text = quoteText(result, perMinuteOf(operation))
  await print(`${process.stdout.isTTY ? wrapped(text, process.stdout) : JSON.stringify(result)}\n`)
}

/** What the walk costs that the flags ask for. */
export function quoteFor(operation: Operation, params: object, flags: SharedFlags): WalkQuote {
  const { all } = flags
  const { maxPages: pages = 1 } = walkOptions(flags)
  if (all === true && operation.paging === undefined)
    throw new UsageError(`${operation.id} has no pages; leave out --all`)
  const result = quoteOf(operation, perMinuteOf(operation), params, { pages })
  if (all !== true) return result
  if (result.atMost === 0) return { ...result, duration: null }
  const why = result.why.replace(' for 1 page', '; the number of pages is unknown')
  return { ...result, atMost: null, duration: null, why }
}

function quoteText({ atMost, duration, why }: WalkQuote, perMinute: number): string {
  if (atMost === null) return `Unknown: ${why}. Limit it with --max-pages or --budget.`
  const time = duration ? ` At least ${timeText(duration)}, at ${perMinute} requests a minute.` : ''
  return `At most ${count(atMost, 'credit')}: ${why}.${time}`
}

function perMinuteOf({ surface }: Operation): number {
  return surface === null ? Infinity : organizationLimits.perMinute
}

/** The operation that a user names as the library or as the command line spells it. */
function operationNamed(words: readonly string[]): Operation {
  const name = words.join(' ')
  const found = operations.find(({ id }) => [id, commandOf(id)].includes(name))
  if (found !== undefined) return found
  if (['watch', 'estimate'].includes(name))
    throw new UsageError('the price of a watch depends on its posts; see social-search estimate --help')
  throw new UsageError(
    `unknown operation ${name}; pass a call alone, such as search; see social-search --help`,
  )
}
