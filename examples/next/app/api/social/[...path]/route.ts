/** Lets the page search without an API key: the key stays on the server. */
import { SocialSearch } from 'social-search-sdk'
import { createProxy } from 'social-search-sdk/proxy'

const proxy = createProxy({
  client: SocialSearch.fromEnv(),
  allow: ['microblog.search'], // all other operations are refused
  authorize: () => ({ id: 'demo' }), // find the user's session; return null if there is none
  budget: 100, // credits for each user, while this server runs
})

export { proxy as GET, proxy as POST }
