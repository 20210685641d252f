import { describe, it } from 'vitest'
import { feedsList, feedsGet } from '../../src/api/endpoints/feeds.ts'
import { listenersList } from '../../src/api/endpoints/listeners.ts'
import { microblogSearch } from '../../src/api/endpoints/microblog.ts'
import { organizationContext, organizationUsage } from '../../src/api/endpoints/organization.ts'
import { professionalnetPostsSearch } from '../../src/api/endpoints/professionalnet/posts.ts'
import type { Transport } from '../../src/index.ts'
import type { Feeds } from '../../src/resources/feeds.ts'
import type { Microblog } from '../../src/resources/microblog.ts'
import type { Organization } from '../../src/resources/organization.ts'
import { byId, paged, single, wired } from '../../src/resources/methods.ts'

declare const transport: Transport

describe('wired()', () => {
  it('refuses another operation', () => {
    wired<'microblog', Microblog>({ search: paged(transport, microblogSearch) })
    // @ts-expect-error -- of another network
    wired<'microblog', Microblog>({ search: paged(transport, professionalnetPostsSearch) })
    const renamed = { ...professionalnetPostsSearch, id: 'microblog.search' as const }
    // @ts-expect-error -- of the right name, but with the shapes of another
    wired<'microblog', Microblog>({ search: paged(transport, renamed) })
    // @ts-expect-error -- alike, but of another name
    wired<'feeds', Feeds>({ list: paged(transport, listenersList), get: byId(transport, feedsGet) })
    wired<'feeds', Feeds>({ list: paged(transport, feedsList), get: byId(transport, feedsGet) })
    wired<'organization', Organization>({
      // @ts-expect-error -- exchanged
      context: single(transport, organizationUsage),
      // @ts-expect-error -- exchanged
      usage: single(transport, organizationContext),
    })
    // @ts-expect-error -- one is missing
    wired<'feeds', Feeds>({ list: paged(transport, feedsList) })
    // @ts-expect-error -- pages, of an operation without pages
    paged(transport, organizationUsage)
  })
})
