import type { Command } from 'commander'
import type { Operation } from '../api/operation.ts'
import { kebab, paramFlags, paramTextOf, positionalOf } from './flags.ts'
import { formats } from './formats.ts'
import { commandsOf, examplesOf, exitCodeHelp, priceOf } from './help-texts.ts'
import { runOperation } from './run-operation.ts'
import {
  addParams,
  cacheOption,
  ceilingOption,
  choiceOption,
  common,
  described,
  shared,
  yesOption,
} from './shared-options.ts'

/** Adds the command of an operation. */
export function addOperation(program: Command, operation: Operation): void {
  const names = operation.id.split('.').map(kebab)
  const command = groupOf(program, names.slice(0, -1)).command(names.at(-1) ?? '')
  described(command, `${operation.summary} (${priceOf(operation)})`, examplesOf(operation.id))
  const positional = positionalOf(operation)
  if (positional !== undefined) {
    // The text may come in --params instead.
    const { prefix } = operation.pathId ?? {}
    const text = prefix === undefined ? paramTextOf(operation, positional) : `starts with ${prefix}`
    command.argument(operation.pathId ? '<id>' : `[${positional}]`, text).usage(`[options] <${positional}>`)
  }
  command.optionsGroup(common)
  if (operation.list !== undefined) command.option('--limit <n>', 'stop after this many records')
  if (operation.paging !== undefined)
    command
      .option('--all', 'fetch all pages (default: one)')
      .option('--max-pages <n>', 'stop after this many pages')
  if (operation.list !== undefined)
    command
      .option('--out <file>', 'write a new .jsonl or .csv file, or store records in a .db file')
      .option('--resume', 'continue --out FILE.db after the last stored page; --budget counts all runs')
  command
    .addOption(
      choiceOption('--format <format>', 'default: card or table on a terminal, otherwise jsonl', formats),
    )
    .option('--fields <paths>', 'fields to show, such as id,engagements.viewsCount')
  const isPerItem = operation.price.kind === 'perItem'
  if (isPerItem) command.addOption(ceilingOption())
  if (isPerItem || (operation.paging !== undefined && operation.price.kind !== 'free'))
    command.addOption(yesOption())
  if (operation.price.kind !== 'free') command.addOption(cacheOption())
  addParams(command, paramFlags(operation))
  shared(command)
    .option('--bom', 'begin CSV with a byte order mark, for Excel')
    .addHelpText('after', exitCodeHelp)
    .action(async () => {
      process.exitCode = await runOperation(operation, command.args[0], command.opts())
    })
}

function groupOf(program: Command, names: readonly string[]): Command {
  return names.reduce((parent, name) => {
    const known = parent.commands.find((command) => command.name() === name)
    return known ?? parent.command(name).description(commandsOf(name)).helpCommand(false)
  }, program)
}
