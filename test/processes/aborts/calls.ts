import type { ClientOptions, PagedOptions, SocialSearch } from '../../../src/index.ts'
import { ownError } from './budgets.ts'
import { below, chance, never, pick, sleep } from './draw.ts'

const query = { query: 'coffee' }
const industries = { page: 1 }

/** Ways to make calls; `onPage` is called in the body of a loop. */
export const uses: Record<
  string,
  (client: SocialSearch, options: PagedOptions, onPage: () => void) => Promise<unknown>
> = {
  call: (client, options) => client.microblog.search(query, options).then(),
  response: (client, options) => client.microblog.search(query, options).withResponse(),
  invalid: (client, options) => client.microblog.search({ query: '' }, options).then(),
  items: (client, options) => client.microblog.search(query, options).toArray({ limit: 50 }),
  pages: async (client, options, onPage) => {
    for await (const page of client.microblog.search(query, { ...options, maxPages: 4 }).pages())
      if (page.posts.length > 0) onPage()
  },
  leave: async (client, options, onPage) => {
    for await (const page of client.professionalnet.industries.list(industries, options).pages()) {
      onPage()
      if (page.meta.page === 2) return
    }
  },
  free: (client, options) => client.organization.usage({}, options).then(),
}

/** What a client authenticates with. A wrong key leads to a refresh. */
export function anyCredential(apiKey: string): Pick<ClientOptions, 'apiKey' | 'auth'> {
  const wrong = 'wrong_key_7c1d'
  const fail = (): never => {
    throw ownError
  }
  const refreshing = (refresh: () => Promise<unknown>): Pick<ClientOptions, 'auth'> => {
    let token = wrong
    const renew = async (): Promise<void> => {
      await refresh()
      token = apiKey
    }
    return { auth: { token: () => token, refresh: renew } }
  }
  if (chance(0.5)) return { apiKey }
  return pick<() => Pick<ClientOptions, 'apiKey' | 'auth'>>([
    () => ({ apiKey: wrong }),
    () => ({ apiKey: () => apiKey }),
    () => ({ apiKey: () => sleep(below(5)).then(() => apiKey) }),
    () => ({ apiKey: fail }),
    () => ({ apiKey: () => sleep(below(5)).then(fail) }),
    () => ({ apiKey: () => never<string>() }),
    () => ({ apiKey: () => (chance(0.5) ? apiKey : Promise.reject(ownError)) }),
    () => refreshing(() => sleep(below(5))),
    () => refreshing(() => Promise.reject(ownError)),
    () => refreshing(() => sleep(below(5)).then(fail)),
    () => refreshing(() => never()),
  ])()
}
