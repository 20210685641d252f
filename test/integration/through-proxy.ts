/** Searches with the client as it is, for a runtime whose environment names a proxy and a CA. */
import { SocialSearch } from '../../src/index.ts'

const client = SocialSearch.fromEnv({ retry: false })
console.log((await client.microblog.search({ query: 'rust' })).posts.length)
