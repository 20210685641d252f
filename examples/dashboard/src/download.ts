import type { MicroblogPost } from 'social-search-sdk'
import { fieldsOf, streamOf, toCsv } from 'social-search-sdk/export'

/** Saves posts as a CSV file. */
export async function download(posts: MicroblogPost[], name: string): Promise<void> {
  const each = async function* () {
    yield* posts
  }
  const csv = streamOf(each()).pipeThrough(toCsv({ fields: fieldsOf('microblog.search') }))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await new Response(csv).blob())
  link.download = `${name}.csv`
  link.click()
  URL.revokeObjectURL(link.href)
}
