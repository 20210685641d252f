import { QueryCache, QueryClient } from '@tanstack/react-query'
import { SocialSearch } from 'social-search-sdk'
import { ResultCache } from 'social-search-sdk/cache'

/** Calls go through the proxy, which has the key. This client queues them, waits for rate limits and keeps their answers. */
export const client = new SocialSearch({
  baseUrl: '/api/social',
  organization: 'demo',
  cache: new ResultCache({ maxAge: 3_600_000 }),
})

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // Every finished call may have cost credits.
    onSettled: (_data, _error, { queryKey }) => {
      if (queryKey[0] === 'social-search') void queryClient.invalidateQueries({ queryKey: ['budget'] })
    },
  }),
})
