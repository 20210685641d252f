import type { Operation } from '../../api/operation.ts'
import { type OperationId, operationOf } from '../../api/operations.ts'
import { shortNames } from '../../api/main-fields.ts'
import { archiveInput } from '../../api/schema/tool-input.ts'
import { count } from '../../lib/count.ts'
import { type Room, compact, cutText } from './compact.ts'
import { itemOf } from './list-result.ts'
import type { PageContent } from './kept-pages.ts'
import type { Archive, ArchiveReach } from './types.ts'

/** Most records that one call reads; the newest ones count. */
const most = 1000

/** Searches that a result without a match names. */
const mostNamed = 5

/** The tool that searches a collection, as the session calls it. It reaches no endpoint. */
export const archiveOperation = {
  ...{ id: 'archive.search', method: 'GET', path: '', scopes: [], surface: null, documented: true },
  summary: 'search the posts that are already paid for',
  price: { kind: 'free' },
  list: 'records',
  get request() {
    return archiveInput()
  },
  get response() {
    return archiveInput()
  },
} as const satisfies Operation

/** What a model has to know before it searches the collection. */
export const archiveText =
  'Call it before any tool that costs credits: its result says which time the collection covers, and what is missing.'

/** Searches a collection, and says how far it reaches. */
export async function searchArchive(archive: Archive, params: string, room: Room): Promise<PageContent> {
  const { query } = JSON.parse(params) as { query: string }
  const { kinds, total, reach } = await archive.find(query, { limit: most })
  const items = kinds
    .flatMap(({ operation: { id }, records }) => {
      const fields = shortNames[id as OperationId]
      const { surface } = operationOf(id) ?? {}
      return records.map((record) => {
        const shown = compact(record, fields, room)
        return itemOf(kinds.length > 1 ? { ...shown, network: surface ?? id } : shown, record)
      })
    })
    // Equal times, or none, keep the order of the collection.
    .sort((one, other) => (one.at === other.at ? 0 : other.at - one.at))
  return { items, next: null, remark: remarkOf(reach, total, items.length) }
}

function remarkOf(reach: ArchiveReach, total: number, read: number): string {
  const { records, from, to, lastCheck, gaps, searches = [] } = reach
  const times = from === null || to === null ? '' : ` from ${from} to ${to}`
  const checked = lastCheck === null ? '' : `, updated ${lastCheck}`
  const missing = gaps === 0 ? '' : `; posts are missing in ${count(gaps, 'span')} of this time`
  const more = total > read ? ` ${count(total, 'record')} match; these are the newest ${read}.` : ''
  const names = searches.slice(0, mostNamed).map((search) => JSON.stringify(cutText(search, 100)))
  const others = searches.length > mostNamed ? ` and ${searches.length - mostNamed} more` : ''
  const known =
    total > 0 || names.length === 0 ? '' : ` It was filled by searches for ${names.join(', ')}${others}.`
  return `The collection has ${count(records, 'record')}${times}${checked}${missing}.${more}${known} For other or newer posts, use a search that costs credits.`
}
