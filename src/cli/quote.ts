import { organizationLimits } from '../api/limits.ts'
import type { Operation } from '../api/operation.ts'
import { operations } from '../api/operations.ts'
import type { Quote } from '../index.ts'
import { quoteOf } from '../extend.ts'
import { count, durationText } from '../lib/count.ts'
import { UsageError, CommandError } from './command-errors.ts'
import { type SharedFlags, commandOf, paramsOf, walkOptions } from './flags.ts'
import type { RunContext } from './run.ts'
import { ask, print, wrapped } from './terminal.ts'

/** Prints what a job costs, and how long it takes at least. Needs no key, and sends nothing. */
export async function quote(words: readonly string[], flags: SharedFlags): Promise<void> {
  const { operation, text: positional } = operationNamed(words)
  const { params } = paramsOf(operation, flags, positional)
  const result = quoteFor(operation, params, flags)
  const text = `${positional === undefined ? '' : `${positional}: `}${quoteText(result)}`
  await print(`${process.stdout.isTTY ? wrapped(text, process.stdout) : JSON.stringify(result)}\n`)
}

/** What the walk costs that the flags ask for. */
export function quoteFor(operation: Operation, params: object, flags: SharedFlags): Quote {
  if (flags.all === true && operation.paging === undefined)
    throw new UsageError(`${operation.id} has no pages; leave out --all`)
  const options = { ...walkOptions(flags), expectedItems: flags.expect }
  return quoteOf(operation, organizationLimits, params, options)
}

function quoteText({ atMost, expected, perPage, duration, why }: Quote): string {
  const time = duration
    ? ` At least ${durationText(duration)}, at ${organizationLimits.perMinute} requests a minute.`
    : ''
  if (atMost !== null) return `At most ${count(atMost, 'credit')}: ${why}.${time}`
  const amount = expected === null ? 'Unknown' : `About ${count(expected, 'credit')}, perhaps more`
  const bounds =
    perPage === null ? (expected === null ? ' Pass --expect.' : '') : ' --max-pages and --budget limit it.'
  return `${amount}: ${why}.${bounds}${time}`
}

/** The operation that a user names as the library or as the command line spells it, and the text it gets: `search coffee`. */
function operationNamed(words: readonly string[]): { operation: Operation; text: string | undefined } {
  const name = words.join(' ')
  for (const length of [words.length, words.length - 1]) {
    const start = words.slice(0, length).join(' ')
    const operation = operations.find(({ id }) => [id, commandOf(id)].includes(start))
    if (operation !== undefined) return { operation, text: words[length] }
  }
  if (words[0] === 'watch')
    throw new UsageError(
      'what a watch costs depends on its posts: give it a --budget, and it says what that pays for',
    )
  throw new UsageError(
    `unknown operation ${name}; pass a call, such as search, and its query in quotes; see social-search --help`,
  )
}

/** Asks before a call whose cost is not known, unless a flag limits or accepts it. */
export async function confirmWalk(
  operation: Operation,
  params: object,
  flags: SharedFlags,
  context: RunContext,
): Promise<void> {
  const { all } = flags
  const { kind } = operation.price
  if (kind === 'free' || (kind === 'perRequest' && all !== true)) return
  const { why } = quoteFor(operation, params, flags)
  await confirm(`${all === true ? '--all' : commandOf(operation.id)} costs ${why}`, flags, context)
}

/** Asks before a watch, which goes on until it is stopped. */
export async function confirmWatch(
  { price }: { readonly price: { readonly credits: number } },
  flags: SharedFlags & { readonly minInterval: number; readonly once?: boolean },
  searches: number,
  context: RunContext,
): Promise<void> {
  if (flags.once === true) return
  const checks = Math.ceil(86_400_000 / flags.minInterval)
  const idle = (checks * price.credits * searches).toLocaleString('en')
  const pages = `${price.credits} more for each page of new posts`
  await confirm(`watch costs ${idle} credits a day without new posts, and ${pages}`, flags, context)
}

/**
 * @throws {UsageError} without a terminal.
 * @throws {CommandError} if the answer is not yes.
 */
async function confirm(
  cost: string,
  { yes, sandbox }: SharedFlags,
  { budget, signal }: RunContext,
): Promise<void> {
  if (budget !== undefined || yes === true || sandbox === true) return
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(`${cost}; pass --budget, or --yes to spend without a limit`)
  if (await ask(`${cost}. No --budget is set. Continue?`, signal)) return
  throw new CommandError('interrupted', 'not confirmed; nothing was sent')
}
