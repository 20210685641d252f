import { extname } from 'node:path'
import { type Command, Help, type HelpConfiguration, Option } from 'commander'
import type { Operation } from '../api/operation.ts'
import { UsageError } from './command-errors.ts'
import type { ParamFlag } from './flags.ts'

/** The flags that most people need come first, those that few need last. */
export const common = 'Common:'
const advanced = 'Advanced:'

/** The groups of search filters, by the first filter of each. */
export const filterGroups: Readonly<Record<string, string>> = {
  lang: 'Language and time',
  exactSentence: 'Words',
  fromTheseAccounts: 'Accounts',
  removePostsWithLinks: 'Links, replies and media',
  minimumRepliesCount: 'Engagement',
  geocode: 'Place',
}

/** The text of a command in lists, and with its examples in its help. */
export function described(command: Command, summary: string, examples: readonly string[]): Command {
  return command
    .summary(summary)
    .description(examples.length === 0 ? summary : withExamples(summary, ...examples))
}

/** What a command does, with examples, for the top of its help. */
export function withExamples(text: string, ...commands: readonly string[]): string {
  const lines = commands.map((command) => `\n  social-search ${command.trim()}`)
  return `${text}\n\n${commands.length === 1 ? 'Example' : 'Examples'}:${lines.join('')}`
}

function paramOption({ name, schema, help }: ParamFlag): Option {
  const value = schema.type === 'boolean' ? '' : schema.type === 'array' ? ' <values...>' : ' <value>'
  const option = new Option(name + value, help)
  return schema.enum === undefined ? option : option.choices(schema.enum)
}

/** Adds the flags of a command that sends, and prints records: those that matter to its operation. */
export function withClient(command: Command, operation?: Pick<Operation, 'price' | 'surface'>): Command {
  command.optionsGroup(common)
  if (operation?.price.kind !== 'free')
    command.option(
      '--budget <credits>',
      'spend at most this many credits in this run, or 200/day in all runs together (hour, day or month, UTC)',
    )
  command
    .option('--sandbox', 'use a simulated service; needs no account (SOCIAL_SEARCH_SANDBOX_NOW: its time)')
    .optionsGroup(advanced)
  if (operation?.surface !== null)
    command.option('--per-minute <n>', 'send at most this many requests a minute, or off')
  return command
}

/** The only kind of file that commands continue; `export` makes others of it. */
export function outOption(help: string): Option {
  return new Option('--out <file>', help).argParser((file: string) => {
    if (extname(file).toLowerCase() === '.db') return file
    throw new UsageError(
      `--out needs a .db file, got ${file}; for another file, export it, or redirect the output: --format csv > FILE`,
    )
  })
}

/** @param exception What never asks. */
export function yesOption(exception = ''): Option {
  const help = `do not ask before spending without a --budget${exception}`
  return new Option('-y, --yes', help).helpGroup(common)
}

/** Adds params as flags, search filters in their groups, and as JSON. */
export function addParams(command: Command, flags: readonly ParamFlag[]): void {
  command.optionsGroup('Params:')
  for (const flag of flags) {
    const group = flag.path.length > 1 ? filterGroups[flag.path.at(-1) ?? ''] : undefined
    if (group !== undefined) command.optionsGroup(`${group}:`)
    command.addOption(paramOption(flag))
  }
  command.optionsGroup('Params:').option('--params <json>', 'params as JSON')
}

const [, ...rareFilters] = Object.values(filterGroups).map((name) => `${name}:`)
const rare: readonly string[] = [...rareFilters, advanced]

/** Whether a command has so many filters that its help has to leave some out. */
const isLong = ({ options }: Command): boolean =>
  options.some(({ helpGroupHeading = '' }) => rareFilters.includes(helpGroupHeading))

/** Help of searches without the filters that few need, and how to see those. */
export const shortHelp: HelpConfiguration = {
  visibleOptions(command) {
    const options = Help.prototype.visibleOptions.call(this, command)
    if (!isLong(command)) return options
    return options.filter(({ helpGroupHeading = '' }) => !rare.includes(helpGroupHeading))
  },
  formatHelp(command, helper) {
    const text = Help.prototype.formatHelp.call(helper, command, helper)
    return isLong(command)
      ? `${text}\nFilters by words, accounts, links, media, engagement and place: --help --all\n`
      : text
  },
}
