import { Command, CommanderError } from 'commander'
import type { Operation } from '../api/operation.ts'
import { operations } from '../api/operations.ts'
import { type SandboxServer, serveSandbox } from '../extensions/sandbox/node.ts'
import { version } from '../lib/version.ts'
import { accounts, budget } from './budgets.ts'
import { UsageError, exitCodeOf, exitCodeLines } from './command-errors.ts'
import {
  common,
  described,
  withClient,
  withExamples,
  accountOption,
  formatOption,
  budgetHelp,
  loginHelp,
} from './command-flags.ts'
import { complain } from './error-text.ts'
import { describe, find, forget } from './database-commands.ts'
import { exportRecords } from './export-records.ts'
import { chooseAccount } from './account.ts'
import { doctor, login, logout } from './login.ts'
import { mcp } from './mcp.ts'
import { readers } from './flags.ts'
import { commandMeant, commandOf } from './command-names.ts'
import { addOperation, addWatch } from './run-commands.ts'
import { quote } from './quote.ts'
import { print } from './terminal.ts'

/** Runs a command line, and sets the exit code of the process. */
export async function main(words: readonly string[]): Promise<void> {
  try {
    // Node puts this in place of bytes that are no text: the service would search for it, and charge.
    if (words.some((word) => word.includes('\ufffd')))
      throw new UsageError('an argument is not valid UTF-8; check the locale of your terminal')
    // Who asks for nothing gets the help.
    const line = words.length === 0 ? ['--help'] : [...words]
    await createProgram().parseAsync(line, { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return
    const reason = error instanceof CommanderError ? new UsageError(usageMessageOf(error, words)) : error
    complain(reason)
    process.exitCode = exitCodeOf(reason)
  }
}

/** What is wrong with a command line, in one line. */
function usageMessageOf({ code, message }: CommanderError, words: readonly string[]): string {
  if (code === 'commander.help') return 'a command is missing; see --help'
  const isKey = words.some((word) => /^--?(api-?)?key\b/i.test(word))
  if (isKey || (words[0] === 'login' && code === 'commander.excessArguments'))
    return 'pass no key as an argument, since shells save those: social-search login --base-url URL asks for it, or reads it from stdin (< key.txt)'
  // The words of the package that reads the command line.
  const text = message
    .replace(/^error: |\.$/g, '')
    // The value may be a secret.
    .replace(/(unknown option '(?:-[^-]|--[^=']*))[^']*/, '$1')
    .replace(/\n\(Did you mean ([^]+)\?\)$/, '; did you mean $1?')
  const meant = commandMeant(words)
  if (meant !== undefined && /unknownCommand|excessArguments/.test(code))
    return `that is how programs name it; did you mean social-search ${meant}?`
  if (code === 'commander.excessArguments')
    return 'too many arguments: put several words in quotes, and pass params as flags or with --params'
  return code === 'commander.unknownCommand' ? `${text} (see social-search --help)` : text
}

function createProgram(): Command {
  const program = new Command('social-search')
    .description(
      withExamples(
        'Search public posts and read the data of your organization.',
        'search coffee --sandbox',
        'watch acme globex --budget 200/day --out posts.db',
        'export posts.db posts.csv',
      ),
    )
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .exitOverride()
    .configureHelp({
      minWidthToWrap: 20,
      subcommandTerm: (command) => command.name(),
    })
    .configureOutput({ outputError: () => {} })
    .addHelpText('after', exitCodeLines())
    .hook('preAction', (_, command) => chooseAccount(command.opts<{ account?: string }>().account))
  addSearches(program)
  addData(program)
  addMoney(program)
  addSetUp(program)
  addDevelopment(program)
  program.helpCommand('help [command]', 'show the help of a command')
  readFlags(program)
  return program
}

/** Begins a group of commands; returns what adds one to it. */
function groupIn(program: Command, heading: string) {
  program.commandsGroup(heading)
  return (usage: string, summary: string, ...examples: readonly string[]) =>
    described(program.command(usage), summary, examples)
}

const isSearch = ({ id }: Operation) => /^(microblog|professionalnet|technews)\./.test(id)
const isGroup = ({ id }: Operation) => Number(commandOf(id).includes(' '))

function addSearches(program: Command): void {
  program.commandsGroup('Search:')
  for (const operation of operations.filter(isSearch).toSorted((a, b) => isGroup(a) - isGroup(b)))
    addOperation(program, operation)
  addWatch(program)
}

function addData(program: Command): void {
  const add = groupIn(program, 'Your data:')
  for (const operation of operations) if (!isSearch(operation)) addOperation(program, operation)
  add(
    'find <database> <query>',
    'search the records of a .db file; free, and offline',
    'find posts.db "late delivery"',
    'find posts.db acme* --limit 100 --format csv > acme.csv',
  )
    .option('--limit <n>', 'show this many of the newest records', '20')
    .option('--table <name>', 'only this table, such as mentions')
    .addOption(formatOption())
    .option('--fields <paths>', 'fields to show, such as id,engagements.viewsCount')
    .action(find)
  add(
    'describe <database>',
    'show what a .db file has of each search: times, gaps, authors, credits',
    'describe posts.db',
  ).action(describe)
  add(
    'forget <database>',
    'delete records of a .db file for good: no later run adds them again',
    'forget posts.db --author somebody',
    'forget posts.db --older-than 90d --yes',
  )
    .option('--author <name>', 'records of this author: a handle, a profile URL or a full name')
    .option('--id <ids...>', 'records with these ids')
    .option('--older-than <age>', 'records published longer ago, such as 90d')
    .option('-y, --yes', 'do not ask')
    .action(forget)
  add(
    'export <database> <file>',
    'make a .csv, .xlsx or .jsonl file of the records in a .db file',
    'export posts.db posts.xlsx',
    'export posts.db new.csv --new',
  )
    .option('--table <name>', 'only this table or view (.xlsx: default all that have rows)')
    .option('--overwrite', 'replace the file if it exists')
    .option('--new', 'only records that were added, or found by another search, since the last export --new')
    .action(exportRecords)
}

function addMoney(program: Command): void {
  const add = groupIn(program, 'Money:')
  add(
    'quote <operation...>',
    'show what a job costs and how long it takes, without sending anything',
    'quote search coffee --max-pages 10',
    'quote posts --all',
  )
    .option('--limit <n>', 'fetch this many records, from as many pages as it takes')
    .option('--max-pages <n>', 'fetch this many pages (default: 1)')
    .option('--expect <n>', 'how many comments or reactions you expect')
    .option('--all', 'fetch all pages, however many there are')
    .option('--params <json>', 'params as JSON')
    .action(quote)
  add(
    'budget [credits]',
    'set what all commands may spend together, or show what has spent it',
    'budget 6000/month',
    'budget',
    'budget off',
  )
    .addOption(accountOption())
    .addHelpText('after', budgetHelp)
    .action(budget)
}

function addSetUp(program: Command): void {
  const add = groupIn(program, 'Set up:')
  add(
    'login',
    'store an API key',
    'login --base-url https://api.example.com/v1',
    'login --base-url URL < key.txt',
  )
    .option('--base-url <url>', 'address of the service (default: SOCIAL_SEARCH_BASE_URL)')
    .addOption(accountOption('store it under this name, for --account'))
    .addHelpText('after', loginHelp)
    .action(login)
  add('logout', 'remove the stored key').addOption(accountOption()).action(logout)
  add('accounts', 'list the stored logins: address, age of the key, budget').action(accounts)
  add('doctor', 'check address, key and scopes').addOption(accountOption()).action(doctor)
}

function addDevelopment(program: Command): void {
  const add = groupIn(program, 'Develop:')
  add(
    'sandbox',
    'serve a simulated service over HTTP until it is stopped',
    'sandbox --port 4010',
    'sandbox --port 0 --growth 60 --per-minute off',
    'sandbox --now 2026-11-20T18:00:00Z',
  )
    .option('--port <n>', 'port to listen on, 0 for any free port', '4010')
    .option('--per-minute <n>', 'searches a minute that each network accepts, or off (default: 20)')
    .option('--growth <n>', 'new posts an hour about each query, 1 to 3600 (default: none)')
    .option('--now <time>', 'stop its clock at this time: each run gives the same answers')
    .action(sandbox)
  withClient(
    add(
      'mcp',
      'serve tools for language models over MCP, on stdio; needs --budget',
      'mcp --budget 100 --confirm-above 10',
      'mcp --sandbox --allow microblog.search',
    ),
  )
    .optionsGroup(common)
    .option('--out <file>', 'store the posts you paid for in a .db file, and search it first, for free')
    .option('--archive <file>', 'search another .db file first; nothing is stored there')
    .option('--confirm-above <credits>', 'ask a person about calls that may cost more')
    .option(
      '--allow <operations...>',
      'operations to offer (default: the searches, professionalnet.company.get, organization.usage)',
    )
    .action(mcp)
}

/** Has the text of each flag read once: what a command gets are values. */
function readFlags(command: Command): void {
  for (const option of command.options) {
    const { long: name } = option
    const read = readers[name ?? '']
    if (name === undefined || read === undefined) continue
    option.argParser((text: string) => read(name, text))
    const value: unknown = option.defaultValue
    if (typeof value === 'string') command.setOptionValue(option.attributeName(), read(name, value))
  }
  command.commands.forEach(readFlags)
}

interface SandboxFlags {
  readonly port: number
  readonly perMinute?: number | false
  readonly growth?: number
  readonly now?: Date
}

/** Serves a sandbox over HTTP until a signal ends it. */
async function sandbox({ port, perMinute, growth, now }: SandboxFlags): Promise<void> {
  if (growth !== undefined && now !== undefined)
    throw new UsageError(
      '--growth adds posts as time goes by, and --now stops the time; leave out one of them',
    )
  const ended = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, resolve)
  })
  const server = await serveSandbox({ port, limits: { perMinute }, growth, now }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new Error(`port ${port} is in use; choose another with --port, or any free port with --port 0`)
  })
  try {
    await print(greeting(server))
    await ended
  } finally {
    await server.close()
  }
}

function greeting(server: SandboxServer): string {
  return `Sandbox of the Social Search API, with made-up posts

  Base URL       ${server.baseUrl}
  API key        ${server.apiKey}
  Write key      ${server.writeKey} (may also change mentions)
  Catalog URL    ${server.catalog.baseUrl}
  Catalog token  ${server.catalog.token}

For your program, and for social-search in another terminal:

  export SOCIAL_SEARCH_BASE_URL=${server.baseUrl}
  export SOCIAL_SEARCH_API_KEY=${server.apiKey}

Ctrl+C ends it.
`
}
