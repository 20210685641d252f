import { type Command, Option } from 'commander'
import { UsageError } from './command-errors.ts'
import { filterGroups } from './filter-groups.ts'
import type { ParamFlag } from './flags.ts'
import { withExamples } from './help-texts.ts'
import { profileName } from './profile.ts'

function paramOption({ name, schema, help }: ParamFlag): Option {
  const value = schema.type === 'boolean' ? '' : schema.type === 'array' ? ' <values...>' : ' <value>'
  return schema.enum === undefined
    ? new Option(name + value, help)
    : choiceOption(name + value, help, schema.enum)
}

/** A flag with a choice, in upper or lower case. */
export function choiceOption(flag: string, help: string | undefined, choices: readonly string[]): Option {
  return new Option(flag, help).choices(choices).argParser((value: string) => {
    const found = choices.find((choice) => choice.toLowerCase() === value.toLowerCase())
    if (found !== undefined) return found
    const expected = choices.length === 1 ? choices.join('') : `one of ${choices.join(', ')}`
    throw new UsageError(`${flag.split(' ')[0]} must be ${expected}, got ${value}`)
  })
}

/** The flags that most people need come first, those that few need last. */
export const common = 'Common:'
const advanced = 'Advanced:'

/** Adds the flags of a command that prints, and may send. */
export function shared(command: Command): Command {
  return withClient(command)
    .option('--quiet', 'print only errors on stderr')
    .option('--no-color', 'plain output (same as NO_COLOR=1)')
    .option('--json', 'print errors as JSON objects')
}

/** Adds the flags that choose a client and its limits. */
export function withClient(command: Command): Command {
  return command
    .optionsGroup(common)
    .option(
      '--budget <credits>',
      'spend at most this many credits in this run, or 200/day in all runs together (hour, day or month, UTC)',
    )
    .option('--sandbox', 'use a simulated service; needs no account')
    .optionsGroup(advanced)
    .option('--per-minute <n>', 'send at most this many requests a minute, or off')
    .option('--timeout <seconds>', 'give up on a request after this long')
    .addOption(choiceOption('--validation <mode>', 'how to check responses', ['strict', 'lenient', 'off']))
    .option('--base-url <url>', 'address of the service (default: SOCIAL_SEARCH_BASE_URL)')
    .addOption(profileOption())
}

export function cacheOption(): Option {
  return new Option(
    '--cache <time>',
    'store paid answers, and reuse those up to this old, such as 1h',
  ).helpGroup(common)
}

export function ceilingOption(): Option {
  return new Option('--ceiling <n>', 'how many items you expect at most, for --budget').helpGroup(common)
}

export function yesOption(): Option {
  return new Option('-y, --yes', 'do not ask before spending without a --budget').helpGroup(common)
}

export function profileOption(): Option {
  const option = new Option('--profile <name>', 'use this stored login').env('SOCIAL_SEARCH_PROFILE')
  return option.argParser((name) => {
    if (profileName.test(name)) return name
    throw new UsageError('the name of a profile must be 1 to 64 letters, digits, - or _')
  })
}

/** The flags of the command that the words name. */
export function optionsAt(program: Command, words: readonly string[]): string[] {
  let command = program
  for (const word of words) command = command.commands.find((each) => each.name() === word) ?? command
  return command.options.flatMap(({ long }) => long ?? [])
}

/** Adds params as flags, search filters in their groups, and as JSON. */
export function addParams(command: Command, flags: readonly ParamFlag[]): void {
  command.optionsGroup('Params:')
  for (const flag of flags) {
    const group = filterGroups[flag.path.at(-1) ?? '']
    if (flag.path.length > 1 && group !== undefined) command.optionsGroup(`${group}:`)
    command.addOption(paramOption(flag))
  }
  command.optionsGroup('Params:').option('--params <json>', 'params as JSON; - reads stdin')
}

/** The text of a command in lists, and with its examples in its help. */
export function described(command: Command, summary: string, examples: readonly string[]): Command {
  return command
    .summary(summary)
    .description(examples.length === 0 ? summary : withExamples(summary, ...examples))
}
