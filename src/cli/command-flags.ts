import { type Command, Option } from 'commander'
import type { Operation } from '../api/operation.ts'
import { type ParamFlag } from './flags.ts'
import { commandOf } from './command-names.ts'
import { formats } from './formats.ts'
import { type OperationId, operations } from '../api/operations.ts'
import { count } from '../lib/count.ts'

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
export function withClient(command: Command, operation?: Operation): Command {
  command.optionsGroup(common)
  if (operation?.price.kind !== 'free')
    command.option(
      '--budget <credits>',
      'spend at most this many credits in this run, or 200/day in all runs together (hour, day or month, UTC)',
    )
  command
    .option('--sandbox', 'use a simulated service; needs no account (SOCIAL_SEARCH_SANDBOX_NOW: its time)')
    .optionsGroup(advanced)
    .addOption(accountOption())
  if (operation === undefined || (operation.price.kind !== 'free' && operation.list !== undefined))
    command.option('--cost-label <name>', 'count the credits under this name in --out')
  if (operation?.surface !== null)
    command.option(
      '--per-minute <n>',
      'requests a minute that all running commands may send together, or off (default: 20)',
    )
  return command
}

export function accountOption(help = 'use the login and the budget of this account'): Option {
  return new Option('--account <name>', `${help} (default: SOCIAL_SEARCH_ACCOUNT)`)
}

export function formatOption(): Option {
  return new Option('--format <format>', 'default: table on a terminal, otherwise jsonl').choices(formats)
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

// At most 40 columns: the text is not wrapped.
export const loginHelp = `
Commands of this user find the login, also
in cron. Programs do not: fromEnv() reads
SOCIAL_SEARCH_BASE_URL and
SOCIAL_SEARCH_API_KEY.`

export const budgetHelp = `
Periods are hour, day and month, in UTC.
--budget 200/day counts in addition;
--budget 20 is of one run, and not shown.`

const profileUrl = `--params '{"profileUrl":"URL"}'`

/** Arguments for examples in the help of commands; others need none. No line is longer than 80 columns. */
const examples: { readonly [Id in OperationId]?: readonly string[] } = {
  'microblog.search': [
    'typescript --category Latest --lang en --limit 40',
    'typescript --all --budget 200 --out posts.db',
  ],
  'professionalnet.posts.search': [
    '"developer tools" --sort-by recent --format csv',
    '"developer tools" --max-pages 3 --budget 12',
  ],
  'professionalnet.company.get': ['URL', 'URL --fields company.name,company.employeeCount'],
  'professionalnet.person.posts': [profileUrl],
  'professionalnet.person.comments': [profileUrl],
  'professionalnet.posts.comments': [
    'URL --max-comments 100 --budget 100',
    'URL --budget 100 --fields authorName,text',
  ],
  'professionalnet.posts.reactions': [`--params '{"postUrl":"URL"}'`],
  'professionalnet.industries.list': ['--q software --all'],
  'technews.search': [`--params '{"query":"typescript"}'`],
  'mentions.list': ['--limit 5', '--all --out mentions.db'],
  'mentions.get': ['men_764dbb8c410af7ff'],
  'mentions.count': [`--params '{"state":"new"}'`],
  'mentions.setState': [`men_764d --params '{"state":"done"}'`],
  'listeners.get': ['lis_4f9f49b87aff8939'],
  'feeds.get': ['svw_9a7036b0c3b2c3f9'],
  openapi: ['> openapi.json'],
}

export function examplesOf(id: string): string[] {
  return (examples[id as OperationId] ?? ['']).map((example) => `${commandOf(id)} ${example}`)
}

/** `list, get, count, set-state`. */
export function commandsOf(group: string): string {
  const names = operations.map(({ id }) => commandOf(id).split(' '))
  return names
    .filter((name) => name.includes(group) && name.at(-1) !== group)
    .map((name) => name.slice(name.indexOf(group) + 1).join(' '))
    .join(', ')
}

/** `2 credits a page`, `1 credit per comment`. */
export function priceOf({ price, list = 'items', paging }: Operation): string {
  if (price.kind === 'free') return 'free'
  const credits = count(price.credits, 'credit')
  if (price.kind === 'perItem') return `${credits} per ${list.replace(/s$/, '')}`
  return paging === undefined ? credits : `${credits} a page`
}
