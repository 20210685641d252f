import { SocialSearch } from 'social-search-sdk'
import { type PageReport, usePage } from '../proxy/page.ts'
import { complaints } from './complaints.ts'

const proxied = {
  /** The page knows only the path of a proxy on its own origin. */
  run: (): Promise<PageReport> => usePage(new SocialSearch({ baseUrl: '/api/social' })),
  /** Searches as often, each time through a connection that has been used before. */
  async search(times: number) {
    const client = new SocialSearch({
      baseUrl: '/api/social',
      limits: { perMinute: false },
      logger: false,
    })
    const failures: Record<string, number> = {}
    for (let call = 0; call < times; call++) {
      // The connection of the search before may end just now: then this one opens another.
      await fetch('/warm').catch(() => fetch('/warm'))
      await client.microblog.search({ query: `coffee ${call}` }).catch((error: unknown) => {
        const name = error instanceof Error ? error.name : String(error)
        failures[name] = (failures[name] ?? 0) + 1
      })
    }
    const { spent, uncertain, reserved } = client.credits
    return { spent, uncertain, reserved, failures }
  },
}
export type Proxied = typeof proxied
Object.assign(globalThis, { proxied, complaints })
