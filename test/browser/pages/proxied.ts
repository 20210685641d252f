import { SocialSearch } from 'social-search-sdk'
import { complaints } from './complaints.ts'

/** Name, code, status and charged of the error of a call. */
const refusal = (call: PromiseLike<unknown>): PromiseLike<unknown> =>
  call.then(
    () => [],
    (error: unknown) => {
      const { name, code, status, charged } = error as Record<string, unknown>
      return [name, code, status ?? null, charged]
    },
  )

const proxied = {
  /** The page knows only the path of a proxy on its own origin, and searches until the budget of its user is spent. */
  async run() {
    const client = new SocialSearch({ baseUrl: '/api/social' })
    const ids: string[] = []
    for await (const { id } of client.microblog.search({ query: 'coffee' }, { maxPages: 3 })) ids.push(id)
    const { industries } = await client.professionalnet.industries.list({ q: 'soft' })
    const invalid = await refusal(client.microblog.search({ query: '' }))
    const disallowed = await refusal(client.technews.search({ query: 'x' }))
    while (client.credits.spent < 12) await client.microblog.search({ query: 'coffee' })
    const exhausted = await refusal(client.microblog.search({ query: 'coffee' }))
    const { spent, uncertain, reserved } = client.credits
    const credits = { spent, uncertain, reserved }
    return { ids, industries: industries.length, refused: { invalid, disallowed, exhausted }, credits }
  },
  /** Searches as often, each time through a connection that has been used before. */
  async search(times: number) {
    const client = new SocialSearch({ baseUrl: '/api/social', limits: { perMinute: false }, logger: false })
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
