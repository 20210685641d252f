import { type Command, Option } from 'commander'
import type { Operation } from '../api/operation.ts'
import { addParams, common, described, outOption, withClient, yesOption } from './command-flags.ts'
import { paramFlags, paramTextOf, positionalOf } from './flags.ts'
import { formats } from './formats.ts'
import { commandsOf, examplesOf, priceOf } from './help-texts.ts'
import { commandOf } from './names.ts'
import { OperationJob } from './operation-job.ts'
import { run } from './run.ts'

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
      'how many you expect, to reserve their credits; if more come, you pay for them',
    )
  if (list !== undefined)
    command
      .addOption(outOption('store records in this .db file (SQLite)'))
      .option(
        '--resume',
        `continue --out after the last stored page${isPaid ? '; --budget counts all runs' : ''}`,
      )
  command
    .addOption(
      new Option('--format <format>', 'default: table on a terminal, otherwise jsonl').choices(formats),
    )
    .option('--fields <paths>', 'fields to show, such as id,engagements.viewsCount')
  if (price.kind === 'perItem' || (paging !== undefined && isPaid)) command.addOption(yesOption())
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
