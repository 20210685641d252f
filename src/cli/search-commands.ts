import { type Command, Option } from 'commander'
import { operations } from '../api/operations.ts'
import { paramFlags } from './flags.ts'
import { addParams, common, described, outOption, withClient, yesOption } from './command-flags.ts'
import { run } from './run.ts'
import { WatchJob, type WatchFlags } from './watch-job.ts'
import { watchNetworks } from './watch-search.ts'

export function addWatch(program: Command): void {
  const command = described(program.command('watch [queries...]'), 'print or store new posts as they come', [
    'watch acme globex --budget 200/day --out posts.db',
    'watch acme --once --budget 20 --out posts.db',
    'watch acme --freshness 5m --budget 500',
  ])
    .optionsGroup(common)
    .addOption(new Option('--network <name>', 'where to search').choices(watchNetworks).default('microblog'))
    .option('--queries <file>', 'add the queries in a file, one a line')
    .option('--freshness <time>', 'check each query no more often than this', '15m')
    .addOption(outOption('store posts in this .db file (SQLite), and continue there'))
    .option('--keep <age>', 'forget posts of --out that are older than this, such as 90d')
    .option('--once', 'check once, then end: for cron')
    .addOption(new Option('--from <start>', 'now: skip posts that already exist').choices(['now']))
    .option('--max-pages <n>', 'page limit per check, gaps included', '10')
    .addOption(yesOption('; with --once, --max-pages is the limit, and it never asks'))
  addParams(
    command,
    paramFlags(operations[0]).filter(({ path }) => path.length > 1),
  )
  withClient(command).action(async (words: readonly string[], flags: WatchFlags) => {
    process.exitCode = await run(new WatchJob(words, flags), flags)
  })
}
