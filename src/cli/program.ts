import { Command, CommanderError } from 'commander'
import type { Operation } from '../api/operation.ts'
import { operations } from '../api/operations.ts'
import { version } from '../lib/version.ts'
import { clearCache } from './answer-cache.ts'
import { budget } from './budget.ts'
import { doctor } from './doctor.ts'
import { estimate } from './estimate.ts'
import { exportRecords } from './export-records.ts'
import { kebab, paramFlags, paramTextOf, positionalOf } from './flags.ts'
import { formats } from './formats.ts'
import {
  budgetHelp,
  commandsOf,
  exampleHelp,
  exampleOf,
  exitCodeHelp,
  loginHelp,
  priceOf,
} from './help-texts.ts'
import { login, logout } from './login.ts'
import { mcp } from './mcp.ts'
import { shortNameHelp, withWholeName } from './names.ts'
import { quote } from './quote.ts'
import { runOperation } from './run-operation.ts'
import { sandbox } from './sandbox.ts'
import {
  cacheOption,
  ceilingOption,
  choiceOption,
  optionsAt,
  paramOption,
  profileOption,
  shared,
  withClient,
  yesOption,
} from './shared-options.ts'
import { complain } from './terminal.ts'
import { UsageError, exitCodeOf } from './command-errors.ts'
import { usageMessageOf } from './usage-message.ts'
import { watch } from './watch.ts'
import { watchNetworks } from './watch-search.ts'

/** Runs a command line, and sets the exit code of the process. */
export async function main(words: readonly string[]): Promise<void> {
  const args = withWholeName(words)
  const json = args.includes('--json')
  const program = createProgram(args, json)
  try {
    // Node puts this in place of bytes that are no text: the service would search for it, and charge.
    if (args.some((word) => word.includes('\ufffd')))
      throw new UsageError('an argument is not valid UTF-8; check the locale of your terminal')
    await program.parseAsync([...args], { from: 'user' })
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return
    const reason =
      error instanceof CommanderError
        ? new UsageError(
            usageMessageOf(
              error,
              args,
              program.commands.map((each) => each.name()),
              optionsAt(program, args),
            ),
          )
        : error
    complain({ json }, reason)
    process.exitCode = exitCodeOf(reason)
  }
}

function createProgram(args: readonly string[], json: boolean): Command {
  const program = new Command('social-search')
    .description('Search public posts and read the data of your organization.')
    .version(version, '-v, --version')
    .helpCommand(false)
    .exitOverride()
    .showSuggestionAfterError(false)
    .configureHelp({ minWidthToWrap: 20 })
    .configureOutput({ outputError: () => {}, ...(json && { writeErr: () => {} }) })
    .addHelpText('after', shortNameHelp())
    .addHelpText('after', exitCodeHelp)
  for (const operation of operations) addOperation(program, operation)
  shared(
    program
      .command('quote <operation...>')
      .description(
        'show what a job costs at most, and how long it takes at least (duration, in milliseconds); sends nothing',
      ),
  )
    .option('--params <json>', 'params as JSON; - reads stdin')
    .option('--max-pages <n>', 'pages to buy; default 1')
    .option('--all', 'all pages, whose number is not known')
    .addHelpText(
      'after',
      exampleHelp('quote microblog search --max-pages 50', 'quote professionalnet posts search --all'),
    )
    .action(quote)
  program
    .command('sandbox')
    .description('serve a simulated service over HTTP until it is stopped')
    .option('--port <n>', 'port to listen on, 0 for any free port; default: the variable PORT, or 4010')
    .option('--per-minute <n>', 'requests a minute that each search surface accepts, or off; default 20')
    .option('--in-flight <n>', 'requests that may be open at once, or off; default 2')
    .option('--growth <n>', 'new posts an hour about each query, 1 to 3600; default none')
    .option('--json', 'errors as JSON objects')
    .addHelpText('after', exampleHelp('sandbox --port 4010', 'sandbox --port 0 --growth 60 --per-minute off'))
    .action(sandbox)
  shared(program.command('doctor').description('check address, key, scopes and runtime')).action(doctor)
  program
    .command('login')
    .description('store a key, read from a prompt or stdin, or log in through the browser with OAuth')
    .option('--base-url <url>', 'address of the service; default: SOCIAL_SEARCH_BASE_URL')
    .addOption(profileOption())
    .option('--issuer <url>', 'OAuth: the authorization server')
    .option('--client-id <id>', 'OAuth: the id of your public client')
    .option('--scopes <list>', 'OAuth: default all scopes that read, and offline_access')
    .option('--port <n>', 'OAuth: port of the redirect address http://127.0.0.1:PORT/callback; default any')
    .option('--timeout <seconds>', 'OAuth: how long to wait for the browser; default 300')
    .option('--no-check', 'store a key without a call that checks it')
    .option('--no-browser', 'OAuth: print the address, open no browser')
    .option('--json', 'errors as JSON objects')
    .addHelpText(
      'after',
      exampleHelp(
        'login --base-url https://api.example.com/v1',
        'login --base-url URL --profile work < key.txt',
      ),
    )
    .addHelpText('after', loginHelp)
    .action(login)
  program
    .command('logout')
    .description('remove the stored key or tokens, and the answers that --cache has stored')
    .addOption(profileOption())
    .option('--json', 'errors as JSON objects')
    .action(logout)
  program
    .command('help [command...]')
    .description('show the help of a command')
    .action((names: string[]) =>
      commandAt(program, names[0] === 'mentions' ? names : withWholeName(names)).outputHelp(),
    )
  program
    .command('budget [credits]')
    .description('set the credits that all commands may spend together, or show what has spent them')
    .option('--base-url <url>', 'address of the service; default: SOCIAL_SEARCH_BASE_URL')
    .addOption(profileOption())
    .option('--json', 'errors as JSON objects')
    .addHelpText('after', exampleHelp('budget 6000/month', 'budget', 'budget off'))
    .addHelpText('after', budgetHelp)
    .action(budget)
  program
    .command('clear-cache')
    .description('delete the answers that commands with --cache have stored')
    .option('--json', 'errors as JSON objects')
    .action(clearCache)
  program
    .command('export <database> <file>')
    .description('make a .csv, .jsonl or .parquet file of the records in a .db file; sends nothing')
    .option('--table <name>', 'the table to export, if there are several')
    .option('--bom', 'begin CSV with a byte order mark, so that Excel reads it as UTF-8')
    .option('--json', 'errors as JSON objects')
    .addHelpText(
      'after',
      exampleHelp('export posts.db posts.csv', 'export posts.db mentions.jsonl --table mentions'),
    )
    .action(exportRecords)
  addWatch(program)
  withClient(
    program.command('mcp').description('serve tools for language models over MCP, on stdio; needs --budget'),
  )
    .optionsGroup('Tools:')
    .option('--confirm-above <credits>', 'ask a person about calls that may cost more')
    .option(
      '--allow <operations...>',
      'operations to offer; default: the searches, professionalnet.company.get and organization.usage',
    )
    .addOption(cacheOption())
    .addHelpText(
      'after',
      exampleHelp('mcp --budget 100 --confirm-above 10', 'mcp --sandbox --allow microblog.search'),
    )
    .action(mcp)
  return program
}

function addOperation(program: Command, operation: Operation): void {
  const names = operation.id.split('.').map(kebab)
  const command = groupOf(program, names.slice(0, -1)).command(names.at(-1) ?? '')
  command.description(`${operation.summary} (${priceOf(operation.price)})`)
  const positional = positionalOf(operation)
  if (positional !== undefined) {
    // The text may come in --params instead.
    const { prefix } = operation.pathId ?? {}
    const text = prefix === undefined ? paramTextOf(operation, positional) : `starts with ${prefix}`
    command.argument(operation.pathId ? '<id>' : `[${positional}]`, text).usage(`[options] <${positional}>`)
  }
  command.optionsGroup('Params:')
  for (const flag of paramFlags(operation)) command.addOption(paramOption(flag))
  command.option('--params <json>', 'params as JSON; - reads stdin')
  if (operation.paging !== undefined)
    command
      .optionsGroup('Pages:')
      .option('--all', 'buy all pages; default one page')
      .option('--max-pages <n>', 'most pages to buy')
  if (operation.list !== undefined)
    command.optionsGroup('Pages:').option('--limit <n>', 'most records to return')
  shared(command)
    .addOption(
      choiceOption('--format <format>', 'default: card or table on a terminal, otherwise jsonl', formats),
    )
    .option('--fields <paths>', 'fields to show, such as id,engagements.viewsCount')
    .option('--bom', 'begin CSV with a byte order mark, so that Excel reads it as UTF-8')
    .addHelpText('after', exampleOf(operation.id))
    .addHelpText('after', exitCodeHelp)
  if (operation.price.kind !== 'free') command.addOption(cacheOption())
  if (operation.list !== undefined)
    command
      .option('--out <file>', 'write a new .jsonl or .csv file, or store records in a .db file')
      .option('--resume', 'continue --out FILE.db after the last stored page; --budget counts all runs')
  const isPerItem = operation.price.kind === 'perItem'
  if (isPerItem) command.addOption(ceilingOption())
  if (isPerItem || (operation.paging !== undefined && operation.price.kind !== 'free'))
    command.addOption(yesOption())
  command.action(async () => {
    process.exitCode = await runOperation(operation, command.args[0], command.opts())
  })
}

/** A command about the new posts of a search. */
function addSearch(program: Command, name: string, description: string): Command {
  const command = program.command(name).description(description)
  command.optionsGroup('Params:')
  for (const flag of paramFlags(operations[0])) if (flag.path.length > 1) command.addOption(paramOption(flag))
  return shared(command)
    .optionsGroup('Looks:')
    .addOption(choiceOption('--network <name>', 'where to search', watchNetworks).default('microblog'))
    .option('--params <json>', 'params as JSON; - reads stdin')
    .option('--freshness <time>', 'look no more often: posts that are so old are fresh enough', '15m')
}

function addWatch(program: Command): void {
  addSearch(
    program,
    'estimate <query>',
    'estimate how many new posts a search has each day, and what they cost',
  )
    .option('--out <file>', 'a .db file of watch: its state makes the estimate free')
    .option('--state <file>', 'a file of watch --state: the same')
    .addHelpText('after', exampleHelp('estimate acme', 'estimate acme --out posts.db'))
    .addHelpText('after', exitCodeHelp)
    .action(estimate)
  addSearch(program, 'watch [queries...]', 'print or store new posts as they come')
    .option('--max-pages <n>', 'page limit per look, gaps included', '10')
    .option('--queries <file>', 'watch the queries in a file, one a line')
    .option('--once', 'look once, then end: for cron')
    .addOption(choiceOption('--from <start>', 'now: skip posts that already exist', ['now']))
    .option('--out <file>', 'store posts and state in an SQLite file that ends in .db')
    .option('--state <file>', 'remembers seen posts for the next run')
    .option('--exec <command>', 'run a command for each batch, with the posts as JSON Lines on stdin')
    .addHelpText(
      'after',
      exampleHelp(
        'watch acme globex --budget 500 --out posts.db',
        'watch acme --once --budget 20 --out posts.db',
        'watch acme --freshness 5m --budget 500 --state acme.json',
      ),
    )
    .addHelpText('after', exitCodeHelp)
    .addOption(yesOption())
    .action(watch)
}

function groupOf(program: Command, names: readonly string[]): Command {
  return names.reduce((parent, name) => {
    const known = parent.commands.find((command) => command.name() === name)
    return known ?? parent.command(name).description(commandsOf(name)).helpCommand(false)
  }, program)
}

/** @throws {UsageError} for an unknown command */
function commandAt(program: Command, names: readonly string[]): Command {
  return names.reduce((parent, name) => {
    const found = parent.commands.find((command) => command.name() === name)
    if (found === undefined)
      throw new UsageError(`unknown command ${names.join(' ')}; see social-search help`)
    return found
  }, program)
}
