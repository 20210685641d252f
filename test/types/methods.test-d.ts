import { describe, expectTypeOf, it } from 'vitest'
import { feedsGet, feedsList } from '../../src/api/feeds.ts'
import { mentionsCount, mentionsSetState } from '../../src/api/mentions.ts'
import { microblogSearch } from '../../src/api/microblog.ts'
import { postComments } from '../../src/api/professionalnet/comments.ts'
import { companyGet } from '../../src/api/professionalnet/company.ts'
import { industriesList } from '../../src/api/professionalnet/industries.ts'
import { professionalnetPostsSearch } from '../../src/api/professionalnet/posts.ts'
import { technewsSearch } from '../../src/api/technews.ts'
import type { MicroblogPost, Transport } from '../../src/index.ts'
import type { Feeds } from '../../src/resources/feeds.ts'
import { byId, paged, single } from '../../src/resources/methods.ts'
import type { Microblog } from '../../src/resources/microblog.ts'
import type { Professionalnet } from '../../src/resources/professionalnet.ts'
import type { Technews } from '../../src/resources/technews.ts'

declare const transport: Transport
declare const use: <Method>(method: Method) => Method

describe('paged()', () => {
  it('has the params, the page and the items of its operation', () => {
    const call = paged(transport, microblogSearch)({ query: 'rust' })
    expectTypeOf(call.toArray({ limit: 1 })).resolves.toEqualTypeOf<MicroblogPost[]>()
    // @ts-expect-error -- the query is missing
    void paged(transport, microblogSearch)({})
  })

  it('is refused as the method of another operation', () => {
    use<Microblog['search']>(paged(transport, microblogSearch))
    // @ts-expect-error -- other posts
    use<Microblog['search']>(paged(transport, professionalnetPostsSearch))
    // @ts-expect-error -- open records
    use<Microblog['search']>(paged(transport, technewsSearch))
    // @ts-expect-error -- other items
    use<Microblog['search']>(paged(transport, industriesList))
  })

  it('is refused when a documented operation becomes an open one', () => {
    use<Technews['search']>(paged(transport, technewsSearch, {}))
    // @ts-expect-error -- it is documented
    use<Technews['search']>(paged(transport, microblogSearch, {}))
  })

  it('refuses an operation without pages', () => {
    // @ts-expect-error -- it returns one body
    void paged(transport, companyGet)
    // @ts-expect-error -- a list without pages
    void paged(transport, postComments)
    // @ts-expect-error -- it returns one record
    void paged(transport, feedsGet)
  })
})

describe('single()', () => {
  it('is refused as the method of another operation', () => {
    use<Professionalnet['company']['get']>(single(transport, companyGet))
    // @ts-expect-error -- it returns comments
    use<Professionalnet['company']['get']>(single(transport, postComments))
    // @ts-expect-error -- open records
    use<Professionalnet['company']['get']>(single(transport, mentionsCount))
  })

  it('refuses a list of pages, and an operation with an id', () => {
    // @ts-expect-error -- it has pages
    void single(transport, microblogSearch)
    // @ts-expect-error -- it has pages
    void single(transport, feedsList)
    // @ts-expect-error -- it takes an id
    void single(transport, feedsGet)
  })
})

describe('byId()', () => {
  it('refuses an operation without an id, and a write', () => {
    use<Feeds['get']>(byId(transport, feedsGet))
    // @ts-expect-error -- it takes no id
    void byId(transport, mentionsCount)
    // @ts-expect-error -- it needs a body
    void byId(transport, mentionsSetState)
  })
})
