import { timeText } from '../lib/count.ts'
import type { Reach } from './database/describe.ts'
import { findRecords } from './database/find.ts'
import { tableIsMissing } from './database/tables.ts'
import { type SharedFlags, wholeNumberOf } from './flags.ts'
import { createFormatter } from './formats.ts'
import { localTime } from './formatter.ts'
import { print, tell } from './terminal.ts'

interface FindFlags extends Pick<SharedFlags, 'format' | 'fields'> {
  readonly limit: string
  readonly table?: string
}

/** Prints the records of a file that match a query, as the search would. */
export async function find(path: string, query: string, flags: FindFlags): Promise<void> {
  const { table } = flags
  const limit = wholeNumberOf('--limit', flags.limit)
  const { kinds, total, reach } = await findRecords(path, query, { limit, table })
  if (kinds.length > 1 && (flags.format ?? flags.fields) !== undefined && flags.format !== 'jsonl')
    throw tableIsMissing(kinds.map(({ table }) => table))
  for (const { operation, records } of kinds) {
    const formatter = createFormatter(operation, flags)
    if (!(await print(formatter.page(records), formatter.isStyled))) return
  }
  if (total === 0 && process.stdout.isTTY) await print('nothing found\n')
  const shown = kinds.reduce((sum, { records }) => sum + records.length, 0)
  const more = shown < total ? `, of which ${shown.toLocaleString('en')} are shown (--limit)` : ''
  tell(`${total.toLocaleString('en')} of ${reach.records.toLocaleString('en')} records${more}`)
  tell(`${path} ${reachText(reach)}`)
}

/** `reaches from 2026-11-20 14:02 to 2026-11-27 21:30; last checked 5 minutes ago; 2 gaps`. */
function reachText({ from, to, lastCheck, gaps }: Reach): string {
  const span =
    from === null || to === null ? 'has no times' : `reaches from ${localTime(from)} to ${localTime(to)}`
  const check =
    lastCheck === null
      ? []
      : [`last checked ${timeText(Math.max(0, Date.now() - Date.parse(lastCheck)))} ago`]
  const missing = gaps === 0 ? [] : [`${gaps} ${gaps === 1 ? 'gap' : 'gaps'} (see describe)`]
  return [span, ...check, ...missing].join('; ')
}
