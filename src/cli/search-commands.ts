import { type Command, Option } from 'commander'
import { operations } from '../api/operations.ts'
import { estimate } from './estimate.ts'
import { paramFlags } from './flags.ts'
import { addParams, common, described, outOption, withClient, yesOption } from './command-flags.ts'
import { watch } from './watch.ts'
import { watchNetworks } from './watch-search.ts'

/** A command about the new posts of a search. */
function addSearch(program: Command, usage: string, summary: string, examples: readonly string[]): Command {
  return described(program.command(usage), summary, examples)
    .optionsGroup(common)
    .addOption(new Option('--network <name>', 'where to search').choices(watchNetworks).default('microblog'))
    .option('--queries <file>', 'add the queries in a file, one a line')
    .option('--freshness <time>', 'check each query no more often than this', '15m')
}

/** Adds the flags of {@link addSearch} that few need. */
function withFilters(command: Command): Command {
  const flags = paramFlags(operations[0]).filter(({ path }) => path.length > 1)
  addParams(command, flags)
  return withClient(command)
}

export function addEstimate(program: Command): void {
  const command = addSearch(
    program,
    'estimate [queries...]',
    'estimate how many new posts searches have each day, and what they cost',
    ['estimate acme', 'estimate acme globex --out posts.db'],
  ).addOption(outOption('the .db file of a watch: the estimate is free if it has run for half a day'))
  withFilters(command).action(estimate)
}

export function addWatch(program: Command): void {
  const command = addSearch(program, 'watch [queries...]', 'print or store new posts as they come', [
    'watch acme globex --budget 200/day --out posts.db',
    'watch acme --once --budget 20 --out posts.db',
    'watch acme --freshness 5m --budget 500',
  ])
    .addOption(outOption('store posts in this .db file (SQLite), and continue there'))
    .option('--keep <age>', 'forget posts of --out that are older than this, such as 90d')
    .option('--once', 'check once, then end: for cron')
    .addOption(new Option('--from <start>', 'now: skip posts that already exist').choices(['now']))
    .option('--max-pages <n>', 'page limit per check, gaps included', '10')
    .addOption(yesOption('; with --once, --max-pages is the limit, and it never asks'))
  withFilters(command).action(watch)
}
