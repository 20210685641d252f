import type * as z from 'zod/mini'
import type { MicroblogSearchBody, MicroblogSearchParams } from '../microblog.ts'
import type { PostCommentsBody, PostCommentsParams } from '../professionalnet/comments.ts'
import type { CompanyGetBody, CompanyGetParams } from '../professionalnet/company.ts'
import type { IndustriesListBody, IndustriesListParams } from '../professionalnet/industries.ts'
import type {
  ProfessionalnetPostsSearchBody,
  ProfessionalnetPostsSearchParams,
} from '../professionalnet/posts.ts'
import * as comments from './comments.ts'
import * as company from './company.ts'
import * as industries from './industries.ts'
import * as microblog from './microblog.ts'
import { planet } from './planet.ts'
import * as posts from './posts.ts'

/** The schemas of requests and responses, by operation. The operations of the catalog share one. */
export const schemas = {
  'microblog.search': shapes<MicroblogSearchParams, MicroblogSearchBody>(microblog),
  'professionalnet.posts.search': shapes<ProfessionalnetPostsSearchParams, ProfessionalnetPostsSearchBody>(
    posts,
  ),
  'professionalnet.posts.comments': shapes<PostCommentsParams, PostCommentsBody>(comments),
  'professionalnet.company.get': shapes<CompanyGetParams, CompanyGetBody>(company),
  'professionalnet.industries.list': shapes<IndustriesListParams, IndustriesListBody>(industries),
  planet: { planet },
}

/** The two schemas of an operation, with their types in this package. */
function shapes<Params, Body>({ request, response }: Shapes<Params, Body>): Shapes<Params, Body> {
  return { request, response }
}

// A type, because the values of an interface cannot be listed.
type Shapes<Params, Body> = Readonly<{ request: z.ZodMiniType<Params>; response: z.ZodMiniType<Body> }>
