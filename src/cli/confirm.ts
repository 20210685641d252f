import { createInterface } from 'node:readline'
import type { Operation } from '../api/operation.ts'
import { CommandError, UsageError } from './command-errors.ts'
import { type SharedFlags, millisecondsOf } from './flags.ts'
import { commandOf } from './names.ts'
import { quoteFor } from './quote.ts'
import { escapedForTerminal } from './terminal.ts'

/** Asks before a call whose cost is not known, unless a flag limits or accepts it. */
export async function confirmWalk(operation: Operation, params: object, flags: SharedFlags): Promise<void> {
  const { all } = flags
  const { kind } = operation.price
  if (kind === 'free' || (kind === 'perRequest' && all !== true)) return
  const { why } = quoteFor(operation, params, flags)
  await confirm(`${all === true ? '--all' : commandOf(operation.id)} costs ${why}`, flags)
}

/** Asks before a watch, which goes on until it is stopped. */
export async function confirmWatch(
  { price }: { readonly price: { readonly credits: number } },
  flags: SharedFlags & { readonly freshness: string; readonly once?: boolean },
  searches: number,
): Promise<void> {
  if (flags.once === true) return
  const checks = Math.ceil(86_400_000 / millisecondsOf('--freshness', flags.freshness))
  const idle = (checks * price.credits * searches).toLocaleString('en')
  const pages = `${price.credits} more for each page of new posts`
  await confirm(`watch costs ${idle} credits a day without new posts, and ${pages}`, flags)
}

/**
 * @throws {UsageError} without a terminal.
 * @throws {CommandError} if the answer is not yes.
 */
async function confirm(cost: string, { budget, yes, sandbox }: SharedFlags): Promise<void> {
  if (budget !== undefined || yes === true || sandbox === true) return
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw new UsageError(`${cost}; pass --budget, or --yes to spend without a limit`)
  if (await ask(`${cost}. No --budget is set. Continue?`)) return
  throw new CommandError('interrupted', 'not confirmed; nothing was sent')
}

/** Asks a person a question. */
export async function ask(question: string): Promise<boolean> {
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: false })
  const answer = await new Promise<string>((resolve) => {
    reader.on('close', () => resolve(''))
    reader.question(`${escapedForTerminal(question)} [y/N] `, resolve)
  })
  reader.close()
  return /^y(es)?$/i.test(answer.trim())
}
