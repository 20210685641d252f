import { describe, expectTypeOf, it } from 'vitest'
import * as classic from 'zod'
import * as z from 'zod/mini'
import type * as microblog from '../../src/api/endpoints/microblog.ts'
import type * as company from '../../src/api/endpoints/professionalnet/company.ts'
import type * as industries from '../../src/api/endpoints/professionalnet/industries.ts'
import type * as posts from '../../src/api/endpoints/professionalnet/posts.ts'
import type * as catalog from '../../src/extensions/catalog/index.ts'
import type * as sdk from '../../src/index.ts'
import * as schemas from '../../src/extensions/schemas/index.ts'

declare const client: sdk.SocialSearch

/** Interfaces take read-only lists; what zod infers is mutable. */
type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { [Key in keyof T]: Mutable<T[Key]> }
    : T

interface TaggedPost extends sdk.MicroblogPost {
  tag: string
}

/** The interface that each schema checks. */
interface Interfaces {
  professionalnetCompany: sdk.ProfessionalnetCompany
  professionalnetCompanyGetBody: sdk.ProfessionalnetCompanyGetBody
  professionalnetCompanyGetParams: sdk.ProfessionalnetCompanyGetParams
  professionalnetCompanyLocation: company.ProfessionalnetCompanyLocation
  professionalnetIndustriesListBody: industries.IndustriesListBody
  professionalnetIndustriesListParams: industries.ProfessionalnetIndustriesListParams
  professionalnetIndustry: sdk.ProfessionalnetIndustry
  microblogCategory: microblog.MicroblogCategory
  microblogEngagements: microblog.MicroblogEngagements
  microblogFilters: Mutable<sdk.MicroblogFilters>
  microblogPost: sdk.MicroblogPost
  microblogSearchBody: microblog.MicroblogSearchBody
  microblogSearchMeta: microblog.MicroblogSearchMeta
  microblogSearchParams: Mutable<sdk.MicroblogSearchParams>
  openBody: sdk.OpenBody
  orbit: catalog.Orbit<catalog.PlanetId>
  planet: catalog.Planet<catalog.PlanetId>
  planetAtmosphere: catalog.PlanetAtmosphere
  planetCreator: catalog.PlanetCreator<catalog.PlanetId>
  planetPhysicalProperties: catalog.PlanetPhysicalProperties
  planetTemperature: catalog.PlanetTemperature
  professionalnetComment: sdk.ProfessionalnetComment
  professionalnetPostsCommentsBody: sdk.ProfessionalnetPostsCommentsBody
  professionalnetPostsCommentsParams: sdk.ProfessionalnetPostsCommentsParams
  professionalnetActor: sdk.ProfessionalnetActor
  professionalnetArticle: posts.ProfessionalnetArticle
  professionalnetContentType: posts.ProfessionalnetContentType
  professionalnetDocument: posts.ProfessionalnetDocument
  professionalnetPoll: posts.ProfessionalnetPoll
  professionalnetPost: sdk.ProfessionalnetPost
  professionalnetPostsSearchBody: posts.ProfessionalnetPostsSearchBody
  professionalnetPostsSearchParams: Mutable<sdk.ProfessionalnetPostsSearchParams>
  professionalnetSocialDetails: posts.ProfessionalnetSocialDetails
  professionalnetVideo: posts.ProfessionalnetVideo
  satellite: catalog.Satellite<catalog.PlanetId>
}

type Inferred = { -readonly [Name in keyof typeof schemas]: z.infer<(typeof schemas)[Name]> }

describe('social-search-sdk/schemas', () => {
  it('has a schema for each interface, equal to it', () => {
    expectTypeOf<Inferred>().toEqualTypeOf<Interfaces>()
  })

  it('extends and picks with zod/mini', () => {
    const tagged = z.extend(schemas.microblogPost, { tag: z.string() })
    expectTypeOf(z.parse(tagged, {})).toEqualTypeOf<TaggedPost>()
    const short = z.pick(schemas.microblogPost, { id: true, body: true })
    expectTypeOf(z.parse(short, {})).toEqualTypeOf<{ id: string; body: string }>()
    // @ts-expect-error a field that the record does not have
    z.pick(schemas.microblogPost, { text: true })
  })

  it('nests in objects of classic zod, and lends its shape', () => {
    const saved = classic.object({ post: schemas.microblogPost, at: classic.date() })
    expectTypeOf(saved.parse({})).toEqualTypeOf<{ post: sdk.MicroblogPost; at: Date }>()
    const short = classic.object(schemas.microblogPost.shape).pick({ id: true })
    expectTypeOf(short.parse({})).toEqualTypeOf<{ id: string }>()
  })

  it('gives the records of a call the type of the schema', async () => {
    const schema = z.pick(schemas.microblogPost, { id: true })
    for await (const post of client.microblog.search({ query: 'rust' }, { schema }))
      expectTypeOf(post).toEqualTypeOf<{ id: string }>()
    const mention = z.extend(schemas.openBody, { text: z.string() })
    expectTypeOf((await client.mentions.get('men_1', { schema: mention })).text).toEqualTypeOf<string>()
  })
})
