import { fieldsOf, streamOf, toCsv } from 'social-search-sdk/export'
import { type Search, networks } from './networks.ts'
import type { Post } from './measure.ts'

/** Saves posts as a CSV file. */
export async function download(posts: Post[], { network, query }: Search): Promise<void> {
  const each = async function* () {
    for (const { record } of posts) if (record) yield record
  }
  const csv = streamOf(each()).pipeThrough(toCsv({ fields: fieldsOf(networks[network].id) }))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await new Response(csv).blob())
  link.download = `${query}.csv`
  link.click()
  URL.revokeObjectURL(link.href)
}
