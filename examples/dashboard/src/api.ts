import { QueryCache, QueryClient, dehydrate, hydrate } from '@tanstack/react-query'
import { SocialSearch, isSocialSearchError } from 'social-search-sdk'

/** When each answer was bought, by its request id, in milliseconds since 1970. The proxy says its age. */
export const boughtAt = new Map<string, number>()

async function fetchAndNote(request: Request): Promise<Response> {
  const response = await fetch(request)
  if (response.status === 200) {
    const { requestId } = await response.clone().json()
    boughtAt.set(requestId, Date.now() - 1000 * Number(response.headers.get('age') ?? 0))
  }
  return response
}

/** Buys: calls go through the proxy, which has the key. This client queues them and waits for rate limits. */
export const client = new SocialSearch({ baseUrl: '/api/social', organization: 'demo', fetch: fetchAndNote })

/** Reads only what the proxy's cache keeps, so it costs nothing. A reload, the back button and a link use it. */
export const stored = new SocialSearch({
  baseUrl: '/api/stored',
  organization: 'demo',
  fetch: fetchAndNote,
  limits: { perMinute: false }, // stored answers count towards no rate limit
})

/** Whether the proxy does not keep what was asked of `stored`: the server sends 204 then. */
export const isMiss = (error: unknown) => isSocialSearchError(error) && error.attempts.at(-1)?.status === 204

/** Asked every few seconds, the budget also says whether the server is there. */
export const budgetKey = ['budget']
let isLost = false

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(_error, { queryKey }) {
      if (isLost || queryKey[0] !== 'budget') return
      isLost = true
      hydrate(queryClient, JSON.parse(sessionStorage.getItem('kept') ?? 'null'))
    },
    onSuccess(_data, { queryKey }) {
      if (!isLost || queryKey[0] !== 'budget') return
      isLost = false
      loadAgain()
    },
    // Every finished call may have cost credits.
    onSettled(_data, _error, { queryKey }) {
      if (queryKey[0] === 'social-search') void queryClient.invalidateQueries({ queryKey: budgetKey })
    },
  }),
})

/** What a reload shows, as of before, while the server does not answer. */
addEventListener('pagehide', () => {
  if (!isLost) sessionStorage.setItem('kept', JSON.stringify(dehydrate(queryClient)))
})

/** Reads again what is shown, for free: searches are not enabled, so this repeats none. */
export const loadAgain = () => void queryClient.refetchQueries({ type: 'active' })
