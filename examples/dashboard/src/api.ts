import { QueryCache, QueryClient } from '@tanstack/react-query'
import { SocialSearch } from 'social-search-sdk'

/** Calls go through the proxy, which has the key. This client queues them and waits for rate limits. */
export const client = new SocialSearch({ baseUrl: '/api/social' })

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // Every finished call may have cost credits.
    onSettled: (_data, _error, { queryKey }) => {
      if (queryKey[0] === 'social-search') void queryClient.invalidateQueries({ queryKey: ['budget'] })
    },
  }),
})
