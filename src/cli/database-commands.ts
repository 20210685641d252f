import { count, durationText } from '../lib/count.ts'
import { parseTime } from '../lib/time.ts'
import type { ArchiveReach } from '../extensions/tools/types.ts'
import { type DescribedSearch, describeDatabase } from './database/describe.ts'
import { findRecords } from './database/find.ts'
import { tableIsMissing } from './database/tables.ts'
import type { SharedFlags } from './flags.ts'
import { createFormatter } from './formats.ts'
import { ask, localTime, print, toStderr, toTerminal } from './terminal.ts'
import { createTable } from './table.ts'
import { gapText } from './watch-report.ts'
import { CommandError, UsageError } from './command-errors.ts'
import { forgetRecords, remainsText } from './database/forget.ts'

interface FindFlags extends Pick<SharedFlags, 'format' | 'fields'> {
  readonly limit: number
  readonly table?: string
}

/** Prints the records of a file that match a query, as the search would. */
export async function find(path: string, query: string, flags: FindFlags): Promise<void> {
  const { table, limit } = flags
  const { kinds, total, reach } = await findRecords(path, query, { limit, table })
  if (kinds.length > 1 && (flags.format ?? flags.fields) !== undefined && flags.format !== 'jsonl')
    throw tableIsMissing(kinds.map(({ table }) => table))
  for (const { operation, records } of kinds) {
    const formatter = createFormatter(operation, flags)
    await print(formatter.page(records), formatter.isStyled)
  }
  if (total === 0 && process.stdout.isTTY) await print('nothing found\n')
  const shown = kinds.reduce((sum, { records }) => sum + records.length, 0)
  const more = shown < total ? `, of which ${shown.toLocaleString('en')} are shown (--limit)` : ''
  toTerminal(`${total.toLocaleString('en')} of ${reach.records.toLocaleString('en')} records${more}`)
  toTerminal(`${path} ${reachText(reach)}`)
}

/** `reaches from 2026-11-20 14:02 to 2026-11-27 21:30; last checked 5 min ago; 2 gaps`. */
function reachText({ from, to, lastCheck, gaps }: ArchiveReach): string {
  const span =
    from === null || to === null ? 'has no times' : `reaches from ${localTime(from)} to ${localTime(to)}`
  const check =
    lastCheck === null
      ? []
      : [`last checked ${durationText(Math.max(0, Date.now() - parseTime(lastCheck)))} ago`]
  const missing = gaps === 0 ? [] : [`${count(gaps, 'gap')} (see describe)`]
  return [span, ...check, ...missing].join('; ')
}

/** Prints what a file has of each search: a table on a terminal, otherwise JSON. */
export async function describe(path: string): Promise<void> {
  const description = await describeDatabase(path)
  const { isTTY, columns } = process.stdout
  if (!isTTY) {
    await print(`${JSON.stringify(description)}\n`)
    return
  }
  const { searches, tables, labels } = description
  const table = createTable([...titles], { fields: undefined, width: columns || 80 })
  const notes = searches.flatMap(notesOf).map((note) => `${note}\n`)
  const kinds = Object.entries(tables).map(([name, records]) => `${name} ${records.toLocaleString('en')}`)
  await print(table.page(searches.map(rowOf)), true)
  const costs = Object.entries(labels).map(([label, credits]) => `${label} ${credits}`)
  const spent = costs.length === 0 ? '' : `Credits by --cost-label: ${costs.join(', ')}\n`
  await print(`${notes.join('')}\nRecords: ${kinds.join(', ')}\n${spent}`)
}

/** The columns that fit are shown. */
const titles = ['search', 'records', 'gaps', 'credits', 'from', 'to', 'authors', 'last check'] as const

function rowOf(search: DescribedSearch): Record<(typeof titles)[number], unknown> {
  const { records, from, to, gaps, credits, uncertain, lastCheck, authors, network } = search
  return {
    ...{ search: [search.search, network].filter(Boolean).join(' · '), records, gaps: gaps.length },
    // The day is enough, and leaves room for the other columns of a narrow terminal.
    ...{
      credits: credits + uncertain,
      from: from && localTime(from)?.slice(0, 10),
      to,
      authors,
      'last check': lastCheck,
    },
  }
}

function notesOf({ search, gaps, uncertain }: DescribedSearch): string[] {
  const missing = gaps.map(gapText).join(', ')
  return [
    ...(gaps.length === 0 ? [] : [`${search}: missing ${missing}`]),
    ...(uncertain === 0 ? [] : [`${search}: ${count(uncertain, 'credit')} may not have been charged`]),
  ]
}

interface ForgetFlags {
  readonly author?: string
  readonly id?: readonly string[]
  readonly olderThan?: number
  readonly yes?: boolean
}

/** Deletes records of a file for good. */
export async function forget(path: string, { author, id: ids, olderThan, yes }: ForgetFlags): Promise<void> {
  if ((author ?? ids ?? olderThan) === undefined) throw new UsageError('pass --author, --id or --older-than')
  // As of a variable of the shell that is not set.
  if ([author, ...(ids ?? [])].includes('')) throw new UsageError('--author and --id must not be empty')
  const confirm = async (records: number): Promise<void> => {
    if (yes === true) return
    const question = `this deletes ${count(records, 'record')} of ${path} for good`
    if (!process.stdin.isTTY || !process.stderr.isTTY) throw new UsageError(`${question}; pass --yes`)
    if (!(await ask(`${question}. Continue?`))) throw new CommandError('interrupted', 'nothing was deleted')
  }
  const options = { author, ids, before: olderThan && Date.now() - olderThan }
  const { records, isClean, searches } = await forgetRecords(path, options, confirm)
  toStderr(`${path}: ${count(records, 'record')} forgotten. Later runs do not add them again.`)
  if (!isClean) toStderr(remainsText(path))
  if (searches.length > 0)
    toStderr(
      `${path}: your searches still name this author: ${searches.join(', ')}. They stay, with what they cost; to see them: social-search describe ${path}`,
    )
  toStderr(
    'Not reached: exports, copies and backups, other posts that quote or mention, and the network itself',
  )
}
