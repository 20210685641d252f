import { summaryOf } from '../api/summaries.ts'
import { readFileSync } from 'node:fs'
import { Command, CommanderError, Help, Option } from 'commander'
import type { Operation, Price } from '../api/operation.ts'
import { operations } from '../api/operations.ts'
import { doctor } from './doctor.ts'
import { exitCodeOf } from './exit-codes.ts'
import { type SharedFlags, type ParamFlag, kebab, paramFlags, positionalOf } from './flags.ts'
import { formats } from './formats.ts'
import { type LoginFlags, login, logout } from './login.ts'
import type { McpFlags } from './mcp.ts'
import { quote } from './quote.ts'
import { runOperation } from './run-operation.ts'
import { complain } from './terminal.ts'
import { UsageError, exitCodes } from './command-errors.ts'
import { type WatchFlags, watch } from './watch.ts'

// At most 40 columns: the text is not wrapped.
const exitCodeHelp = `
Exit codes:
  0    done
  1    file, network or machine failed
  2    wrong usage; nothing was sent
  3    key, scopes or permissions
  4    refused, or an invalid answer
  5    stopped by a budget
  6    unknown: may have been charged
  130  interrupted`

/** Runs a command line; returns the exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const flags: SharedFlags = { json: args.includes('--json') }
  let code: number = exitCodes.done
  const program = createProgram((exitCode) => (code = exitCode), flags)
  try {
    await program.parseAsync([...args], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.done
      complain(flags, new UsageError(usageMessageOf(error)))
      return exitCodes.usage
    }
    complain(flags, error)
    return exitCodeOf(error)
  }
}

function usageMessageOf({ code, message }: CommanderError): string {
  if (code === 'commander.help') return 'a command is missing; see --help'
  if (code === 'commander.excessArguments')
    return 'too many arguments; put several words in quotes, and pass other params as flags or with --params'
  return message.replace(/^error: /, '')
}

function createProgram(exit: (code: number) => void, { json }: SharedFlags): Command {
  const program = new Command('social-search')
    .description('Search public posts and read the data of your organization.')
    .version(version())
    .helpCommand(false)
    .exitOverride()
    .showSuggestionAfterError()
    .configureHelp({ minWidthToWrap: 20, formatItem })
    .configureOutput({ outputError: () => {}, ...(json === true && { writeErr: () => {} }) })
    .addHelpText('after', exitCodeHelp)
  for (const operation of operations) addOperation(program, operation, exit)
  shared(program.command('quote <operation>').description('show what a job costs at most; sends nothing'))
    .option('--pages <n>', 'pages to buy', '1')
    .option('--ceiling <n>', 'items to expect on a page whose items have no documented bound')
    .action(async (id: string, flags: SharedFlags & { pages: string; ceiling?: string }) =>
      exit(await quote(id, flags)),
    )
  shared(program.command('doctor').description('check address, key, scopes, contract and runtime')).action(
    async (flags: SharedFlags) => exit(await doctor(flags)),
  )
  program
    .command('login')
    .description('store a key, read from a prompt or stdin, or log in through the browser with OAuth')
    .option('--base-url <url>', 'address of the service; default: SOCIAL_SEARCH_BASE_URL')
    .option('--issuer <url>', 'OAuth: the authorization server')
    .option('--client-id <id>', 'OAuth: the id of your public client')
    .option('--scopes <list>', 'OAuth: default all scopes that read, and offline_access')
    .option('--port <n>', 'OAuth: port of the redirect address http://127.0.0.1:PORT/callback; default any')
    .option('--timeout <seconds>', 'OAuth: how long to wait for the browser; default 300')
    .option('--no-browser', 'OAuth: print the address, open no browser')
    .option('--json', 'errors as JSON objects')
    .action(async (flags: LoginFlags) => exit(await login(flags)))
  program
    .command('logout')
    .description('remove the stored key or tokens')
    .option('--json', 'errors as JSON objects')
    .action(async () => exit(await logout()))
  addWatch(program, exit)
  shared(
    program.command('mcp').description('serve tools for language models over MCP, on stdio; needs --budget'),
  )
    .option('--confirm-above <credits>', 'ask a person about calls that may cost more')
    .option('--max-per-call <credits>', 'most credits of one call')
    .option('--allow <operations...>', 'operations to offer; default: the searches, professionalnet.company.get and organization.usage')
    // Loaded when it is used: it is larger than all the rest.
    .action(async (flags: McpFlags) => exit(await (await import('./mcp.ts')).mcp(flags)))
  return program
}

function addOperation(program: Command, operation: Operation, exit: (code: number) => void): void {
  const names = operation.id.split('.').map(kebab)
  const command = groupOf(program, names.slice(0, -1)).command(names.at(-1) ?? '')
  command.description(`${summaryOf(operation.id)} (${priceOf(operation.price)})`)
  const positional = positionalOf(operation)
  if (positional !== undefined) command.argument(operation.pathId ? '<id>' : `[${positional}]`)
  for (const flag of paramFlags(operation)) command.addOption(paramOption(flag))
  shared(command)
    .addOption(new Option('--params <json>', 'params as JSON; - reads stdin').conflicts('body'))
    .option('--body <json>', 'same as --params')
    .addOption(
      new Option('--format <format>', 'default: table on a terminal, otherwise jsonl').choices(formats),
    )
    .option('--fields <paths>', 'fields to show, such as id,engagements.viewsCount')
    .addHelpText('after', exitCodeHelp)
  if (operation.list !== undefined)
    command
      .option('--out <file>', 'write jsonl or csv to a file; --resume can continue it')
      .option('--resume', 'continue --out after the last written page; --budget counts all runs')
  if (operation.paging !== undefined)
    command
      .option('--all', 'buy all pages; default one page')
      .option('--max-pages <n>', 'most pages to buy')
      .option('--limit <n>', 'most records to return')
  command.action(async (first: unknown, second: unknown) => {
    const [text, flags] = positional === undefined ? [undefined, first] : [first, second]
    exit(
      await runOperation(
        operation,
        text as string | undefined,
        flags as SharedFlags & Record<string, unknown>,
      ),
    )
  })
}

function addWatch(program: Command, exit: (code: number) => void): void {
  const search = operations[0]
  const command = program.command('watch <query>').description('print new microblog posts as they come')
  for (const flag of paramFlags(search)) if (flag.path.length > 1) command.addOption(paramOption(flag))
  shared(command)
    .option('--every <seconds>', 'wait between polls while posts come', '60')
    .option('--max-every <seconds>', 'longest wait while no posts come')
    .option('--max-pages <n>', 'most pages to buy in one poll', '10')
    .option('--state <file>', 'remembers seen posts for the next run')
    .option('--exec <command>', 'run a command for each batch, with the posts as JSON Lines on stdin')
    .addHelpText('after', exitCodeHelp)
    .action(async (query: string, flags: WatchFlags) => exit(await watch(query, flags)))
}

function paramOption({ name, schema, help }: ParamFlag): Option {
  const value = schema.type === 'boolean' ? '' : schema.type === 'array' ? ' <values...>' : ' <value>'
  const option = new Option(name + value, help)
  return schema.enum === undefined ? option : option.choices(schema.enum)
}

/** Adds the flags that all commands have. */
function shared(command: Command): Command {
  return command
    .option('--budget <credits>', 'most credits to spend')
    .option('--per-minute <n>', 'most requests a minute, or off')
    .option('--timeout <seconds>', 'time for one request')
    .addOption(
      new Option('--validation <mode>', 'how responses are checked').choices(['strict', 'lenient', 'off']),
    )
    .option('--base-url <url>', 'address of the service; default: SOCIAL_SEARCH_BASE_URL')
    .option('--sandbox', 'use a simulated service; needs no account')
    .option('--quiet', 'only errors on stderr')
    .option('--no-color', 'no bold text; NO_COLOR does the same')
    .option('--json', 'errors as JSON objects')
}

function groupOf(program: Command, names: readonly string[]): Command {
  return names.reduce((parent, name) => {
    const known = parent.commands.find((command) => command.name() === name)
    return known ?? parent.command(name).description(commandsOf(name)).helpCommand(false)
  }, program)
}

/** `list, get, count, set-state`. */
function commandsOf(group: string): string {
  const names = operations.map(({ id }) => id.split('.').map(kebab))
  return names
    .filter((name) => name.includes(group) && name.at(-1) !== group)
    .map((name) => name.slice(name.indexOf(group) + 1).join(' '))
    .join(', ')
}

/** Puts the description below its flag if the terminal is narrow. */
function formatItem(term: string, termWidth: number, description: string, helper: Help): string {
  const width = helper.helpWidth ?? 80
  if (width - termWidth > 24)
    return Help.prototype.formatItem.call(helper, term, termWidth, description, helper)
  const text = helper.boxWrap(description, width - 6).replaceAll('\n', '\n      ')
  return `  ${term}\n      ${text}`
}

function priceOf(price: Price): string {
  if (price.kind === 'free') return 'free'
  return `${price.credits} credits ${price.kind === 'perItem' ? 'for each item' : 'a page'}`
}

function version(): string {
  // Relative to src/cli and to dist/bundled/cli.
  for (const path of ['../../package.json', '../../../package.json'])
    try {
      return (JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: string }).version
    } catch {
      // Try the next path.
    }
  return 'unknown'
}
