import { QueryCache, QueryClient } from '@tanstack/react-query'
import { SocialSearch } from 'social-search-sdk'

/** Buys: calls go through the proxy, which has the key. This client queues them and waits for rate limits. */
export const client = new SocialSearch({ baseUrl: '/api/social', organization: 'demo' })

/** Reads only what the proxy's cache keeps, so it costs nothing. A reload, the back button and a link use it. */
export const stored = new SocialSearch({
  baseUrl: '/api/stored',
  organization: 'demo',
  limits: { perMinute: false }, // stored answers count towards no rate limit
})

/** Credits of one page of posts, and of one company. */
export const prices = {
  posts: client.quote('microblog.search', { query: 'any' }).atMost ?? 0,
  company: client.quote('professionalnet.company.get', { url: 'any' }).atMost ?? 0,
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // Every finished call may have cost credits.
    onSettled: (_data, _error, { queryKey }) => {
      if (queryKey[0] === 'social-search') void queryClient.invalidateQueries({ queryKey: ['budget'] })
    },
  }),
})
