/** Lets web pages search without an API key: the key is a secret of this worker. */
import { SocialSearch } from 'social-search-sdk'
import { createProxy } from 'social-search-sdk/proxy'

// At module scope, so that all requests of an isolate share the limits. Isolates share nothing: each takes a half.
const client = SocialSearch.fromEnv({ limits: { inFlight: 1, perMinute: 10 } })

const proxy = createProxy({
  client,
  allow: ['microblog.search', 'professionalnet.industries.list'], // all other operations are refused
  authorize: () => ({ id: 'demo' }), // find the user's session; return null if there is none
  budget: 100, // credits for each user, while this isolate lives
})

export default { fetch: (request: Request) => proxy(request) }
