import { type Command, Option } from 'commander'
import type { Operation } from '../api/operation.ts'
import {
  addParams,
  common,
  described,
  withClient,
  yesOption,
  formatOption,
  commandsOf,
  examplesOf,
  priceOf,
} from './command-flags.ts'
import { paramFlags, paramTextOf, millisecondsOf } from './flags.ts'
import { positionalOf, commandOf } from './command-names.ts'
import { OperationJob } from './operation-job.ts'
import { run } from './run.ts'
import { operations } from '../api/operations.ts'
import { type WatchFlags, WatchJob, watchNetworks } from './watch-job.ts'

/** Adds the command of an operation. */
export function addOperation(program: Command, operation: Operation): void {
  const { id, price, paging, list, pathId } = operation
  const names = commandOf(id).split(' ')
  const isDefault = id === 'mentions.list'
  const command = groupOf(program, names.slice(0, -1)).command(names.at(-1) ?? '', { isDefault })
  described(command, `${operation.summary} (${priceOf(operation)})`, examplesOf(id))
  const positional = positionalOf(operation)
  if (positional !== undefined) {
    // The text may come in --params instead.
    const text = pathId ? `starts with ${pathId.prefix}` : paramTextOf(operation, positional)
    command.argument(pathId ? '<id>' : `[${positional}]`, text).usage(`[options] <${positional}>`)
  }
  const isPaid = price.kind !== 'free'
  command.optionsGroup(common)
  if (paging !== undefined)
    command
      .option('--limit <n>', 'stop after this many records')
      .option('--all', 'fetch all pages (default: one)')
      .option('--max-pages <n>', 'stop after this many pages')
  if (price.kind === 'perItem')
    command.option(
      '--expect <n>',
      price.bound === null
        ? 'how many you expect, to reserve their credits; if more come, you pay for them'
        : `how many you expect, to fetch and reserve more than ${price.bound.default}`,
    )
  if (list !== undefined)
    command
      .option('--out <file>', 'store records in this .db file (SQLite)')
      .option(
        '--resume',
        `continue --out after the last stored page${isPaid ? '; --budget counts all runs' : ''}`,
      )
  command
    .addOption(formatOption())
    .option('--fields <paths>', 'fields to show, such as id,engagements.viewsCount')
  if (isPaid) command.addOption(yesOption())
  addParams(command, paramFlags(operation))
  command.option('--extra-params <json>', 'params that this version does not know, sent unchecked')
  withClient(command, operation).action(async () => {
    const flags = command.opts()
    process.exitCode = await run(new OperationJob(operation, command.args[0], flags), flags)
  })
}

function groupOf(program: Command, names: readonly string[]): Command {
  return names.reduce((parent, name) => {
    const known = parent.commands.find((command) => command.name() === name)
    return known ?? parent.command(name).description(commandsOf(name)).helpCommand(false)
  }, program)
}

export function addWatch(program: Command): void {
  const command = described(program.command('watch [queries...]'), 'print or store new posts as they come', [
    'watch acme globex --budget 200/day --out posts.db',
    'watch acme --once --budget 20 --out posts.db',
    'watch acme --min-interval 5m --budget 500',
  ])
    .optionsGroup(common)
    .addOption(new Option('--network <name>', 'where to search').choices(watchNetworks).default('microblog'))
    .option('--queries <file>', 'add the queries in a file, one a line')
    .option('--min-interval <time>', 'check each query no more often than this', '15m')
    .option('--out <file>', 'store posts in this .db file (SQLite), and continue there')
    .option('--keep <age>', 'forget posts of --out that are older than this, such as 90d')
    .option('--once', 'check once, then end: for cron')
    .addOption(new Option('--from <start>', 'now: skip posts that already exist').choices(['now']))
    .option('--max-pages <n>', 'page limit per check, gaps included', '10')
    .addOption(yesOption('; with --once, --max-pages is the limit, and it never asks'))
  // Scripts have it under its first name.
  command.addOption(new Option('--freshness <time>').hideHelp())
  command.on('option:freshness', (time: string) =>
    command.setOptionValue('minInterval', millisecondsOf('--min-interval', time)),
  )
  const filters = paramFlags(operations[0]).filter(({ path }) => path.length > 1)
  addParams(command, filters)
  withClient(command).action(async (words: readonly string[], flags: WatchFlags) => {
    process.exitCode = await run(new WatchJob(words, flags), flags)
  })
}
