import { readFileSync } from 'node:fs'
import { Command, CommanderError, Option } from 'commander'
import type { Operation, Price } from '../contract/operation.ts'
import { operations } from '../contract/operations.ts'
import { doctor } from './doctor.ts'
import { exitCodeOf, exitCodes } from './exit-codes.ts'
import { kebab, paramFlags, positionalOf } from './flags.ts'
import { formats } from './formats.ts'
import { login, logout } from './login.ts'
import type { McpFlags } from './mcp.ts'
import type { SharedFlags } from './options.ts'
import { quote } from './quote.ts'
import { runOperation } from './run-operation.ts'
import { complain } from './terminal.ts'
import { UsageError } from './command-errors.ts'
import { type WatchFlags, watch } from './watch.ts'

const exitCodeHelp = `
Exit codes:
  0  done
  1  a file, the network or this machine failed; nothing was charged
  2  the command line cannot work; nothing was sent
  3  key, scopes or permissions
  4  the service refused, or its answer is not as documented
  5  stopped by a budget; what was bought is written
  6  outcome unknown: the call may have been charged
  130  interrupted; what was bought is written`

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
      complain(
        flags,
        new UsageError(
          error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, ''),
        ),
      )
      return exitCodes.usage
    }
    complain(flags, error)
    return exitCodeOf(error)
  }
}

function createProgram(exit: (code: number) => void, { json }: SharedFlags): Command {
  const program = new Command('social-search')
    .description('Searches public posts and reads the data of an organization, from the command line.')
    .version(version())
    .helpCommand(false)
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ outputError: () => {}, ...(json === true && { writeErr: () => {} }) })
    .addHelpText('after', exitCodeHelp)
  for (const operation of operations) addOperation(program, operation, exit)
  shared(program.command('quote <operation>').description('say what a job costs at most; sends nothing'))
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
    .description('store a key, read from a prompt or from the input')
    .option('--base-url <url>', 'the address that the key is for; default: SOCIAL_SEARCH_BASE_URL')
    .option('--json', 'errors as JSON objects')
    .action(async (flags: { baseUrl?: string }) => exit(await login(flags)))
  program
    .command('logout')
    .description('remove the stored key')
    .option('--json', 'errors as JSON objects')
    .action(async () => exit(await logout()))
  addWatch(program, exit)
  shared(
    program.command('mcp').description('serve tools for language models over MCP, on stdio; needs --budget'),
  )
    .option('--confirm-above <credits>', 'ask a person about calls that may cost more')
    .option('--max-per-call <credits>', 'most credits of one call')
    .option('--allow <operations...>', 'operations to offer; default: the searches and organization.usage')
    // Loaded when it is used: it is larger than all the rest.
    .action(async (flags: McpFlags) => exit(await (await import('./mcp.ts')).mcp(flags)))
  return program
}

function addOperation(program: Command, operation: Operation, exit: (code: number) => void): void {
  const names = operation.id.split('.').map(kebab)
  const command = groupOf(program, names.slice(0, -1)).command(names.at(-1) ?? '')
  command.description(`${operation.summary} (${priceOf(operation.price)})`)
  const positional = positionalOf(operation)
  if (positional !== undefined) command.argument(operation.pathId ? '<id>' : `[${positional}]`)
  for (const { name, schema, help } of paramFlags(operation)) {
    const value = schema.type === 'boolean' ? '' : schema.type === 'array' ? ' <values...>' : ' <value>'
    const option = new Option(name + value, help)
    command.addOption(schema.enum === undefined ? option : option.choices(schema.enum))
  }
  shared(command)
    .addOption(new Option('--params <json>', 'params as JSON, or - to read them').conflicts('body'))
    .option('--body <json>', 'the same')
    .addOption(
      new Option('--format <format>', 'default: table on a terminal, otherwise jsonl').choices(formats),
    )
    .option('--fields <paths>', 'fields to show, such as id,engagements.viewsCount')
    .addHelpText('after', exitCodeHelp)
  if (operation.list !== undefined)
    command
      .option('--out <file>', 'write to a file that can be resumed, jsonl or csv')
      .option('--resume', 'go on with --out; buys no page again')
  if (operation.paging !== undefined)
    command
      .option('--all', 'all pages; default one page')
      .option('--max-pages <n>', 'most pages')
      .option('--limit <n>', 'most records')
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
  for (const { name, schema, help, path } of paramFlags(search)) {
    if (path.length === 1) continue
    const value = schema.type === 'boolean' ? '' : schema.type === 'array' ? ' <values...>' : ' <value>'
    command.option(name + value, help)
  }
  shared(command)
    .option('--every <seconds>', 'between polls while posts come', '60')
    .option('--max-every <seconds>', 'longest wait while none come')
    .option('--max-pages <n>', 'most pages of one poll', '10')
    .option('--state <file>', 'keeps what was seen, so that the next run goes on')
    .option('--exec <command>', 'run a command for each batch, with the posts as JSON Lines on its input')
    .addHelpText('after', exitCodeHelp)
    .action(async (query: string, flags: WatchFlags) => exit(await watch(query, flags)))
}

/** Adds the flags that all commands have. */
function shared(command: Command): Command {
  return command
    .option('--budget <credits>', 'most credits; with --resume, of all runs together')
    .option('--per-minute <n>', 'requests a minute, or off')
    .option('--timeout <seconds>', 'for one request')
    .addOption(
      new Option('--validation <mode>', 'how answers are checked').choices(['strict', 'lenient', 'off']),
    )
    .option('--base-url <url>', 'default: SOCIAL_SEARCH_BASE_URL')
    .option('--sandbox', 'use a simulated service; needs no account')
    .option('--quiet', 'no messages but errors')
    .option('--no-color', 'no bold text; NO_COLOR does the same')
    .option('--json', 'errors as JSON objects')
}

function groupOf(program: Command, names: readonly string[]): Command {
  return names.reduce((parent, name) => {
    const known = parent.commands.find((command) => command.name() === name)
    return known ?? parent.command(name).description(`commands for ${name}`)
  }, program)
}

function priceOf(price: Price): string {
  if (price.kind === 'free') return 'free'
  return `${price.credits} credits ${price.kind === 'perItem' ? 'for each item' : 'a page'}`
}

function version(): string {
  // From src/command, and from dist/bundled/command.
  for (const path of ['../../package.json', '../../../package.json'])
    try {
      return (JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as { version: string }).version
    } catch {
      // The other one.
    }
  return 'unknown'
}
