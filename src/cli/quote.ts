import { organizationLimits } from '../api/limits.ts'
import type { Operation } from '../api/operation.ts'
import { operations } from '../api/operations.ts'
import type { Quote } from '../index.ts'
import { quoteOf } from '../extend.ts'
import { count, durationText } from '../lib/count.ts'
import { UsageError } from './command-errors.ts'
import { type SharedFlags, paramsOf, walkOptions } from './flags.ts'
import { commandOf } from './command-names.ts'
import { print, wrapped } from './terminal.ts'

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
