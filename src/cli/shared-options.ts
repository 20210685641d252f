import { type Command, Option } from 'commander'
import { UsageError } from './command-errors.ts'
import type { ParamFlag } from './flags.ts'
import { profileName } from './profile.ts'

export function paramOption({ name, schema, help }: ParamFlag): Option {
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

/** Adds the flags of a command that prints, and may send. */
export function shared(command: Command): Command {
  return withClient(command)
    .optionsGroup('Output:')
    .option('--quiet', 'only errors on stderr')
    .option('--no-color', 'no bold text; NO_COLOR does the same')
    .option('--json', 'errors as JSON objects')
}

/** Adds the flags that choose a client and its limits. */
export function withClient(command: Command): Command {
  return command
    .optionsGroup('Credits:')
    .option(
      '--budget <credits>',
      'most credits to spend in this run, or 200/day for all runs (hour, day, month; UTC)',
    )
    .optionsGroup('Connection:')
    .option('--per-minute <n>', 'most requests a minute, or off')
    .option('--timeout <seconds>', 'time for one request')
    .addOption(choiceOption('--validation <mode>', 'how responses are checked', ['strict', 'lenient', 'off']))
    .option('--base-url <url>', 'address of the service; default: SOCIAL_SEARCH_BASE_URL')
    .addOption(profileOption())
    .option('--sandbox', 'use a simulated service; needs no account')
}

export function cacheOption(): Option {
  return new Option(
    '--cache <time>',
    'store paid answers, and use stored ones up to this age, such as 1h',
  ).helpGroup('Credits:')
}

export function ceilingOption(): Option {
  return new Option('--ceiling <n>', 'the most items that you expect; --budget sets aside so many').helpGroup(
    'Credits:',
  )
}

export function yesOption(): Option {
  return new Option('-y, --yes', 'spend without a --budget, and do not ask').helpGroup('Credits:')
}

export function profileOption(): Option {
  const option = new Option('--profile <name>', 'which stored login to use').env('SOCIAL_SEARCH_PROFILE')
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
