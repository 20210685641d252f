/** Walks the items of many pages, and prints the peak memory of the process. Arguments: program, base URL, items. */
import { type Duration, apiKey, load, stopwatch, tell } from './set-up.ts'
import type { Peer, SearchParams } from '../peers/peer.ts'
import type { MicroblogPost, MicroblogSearchBody } from '../../src/api/endpoints/microblog.ts'

export interface WalkResult extends Duration {
  /** Peak resident memory, in MB. */
  peak: number
}

const [, , program = '', baseUrl = '', items] = process.argv
const peer = (await load(program))({ baseUrl, apiKey, fetch: undefined })

/** Walks like a user whose client has no paging. */
async function* walkByHand(peer: Peer, params: SearchParams): AsyncGenerator<MicroblogPost> {
  for (let next: SearchParams | null = params; next !== null;) {
    const { posts, meta }: MicroblogSearchBody = await peer.search(next)
    yield* posts
    next = meta.nextCursor === undefined ? null : { ...params, cursor: meta.nextCursor }
  }
}

const params = { query: `pages ${Number(items) / 20}` }
const walk = peer.walk?.(params) ?? walkByHand(peer, params)

const stop = stopwatch()
let walked = 0
for await (const post of walk) if (post.id !== '') walked++
if (walked !== Number(items)) throw new Error(`${program} walked ${walked} items`)
tell({ peak: process.resourceUsage().maxRSS / 1024, ...stop() } satisfies WalkResult)
