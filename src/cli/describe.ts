import { count } from '../lib/count.ts'
import { type DescribedSearch, describeCollection } from './database/describe.ts'
import { localTime } from './formatter.ts'
import { createTable } from './table.ts'
import { print } from './terminal.ts'
import { gapText } from './watch-report.ts'

/** Prints what a file has of each search: a table on a terminal, otherwise JSON. */
export async function describe(path: string): Promise<void> {
  const description = await describeCollection(path)
  const { isTTY, columns } = process.stdout
  if (!isTTY) {
    await print(`${JSON.stringify(description)}\n`)
    return
  }
  const { searches, tables } = description
  const table = createTable([...titles], { fields: undefined, width: columns || 80 })
  const notes = searches.flatMap(notesOf).map((note) => `${note}\n`)
  const kinds = Object.entries(tables).map(([name, records]) => `${name} ${records.toLocaleString('en')}`)
  await print(table.page(searches.map(rowOf)), true)
  await print(`${notes.join('')}\nRecords: ${kinds.join(', ')}\n`)
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
