import { catalogOperations } from '../../src/api/catalog/operations.ts'
import { microblogSearch } from '../../src/api/endpoints/microblog.ts'
import type { Operation } from '../../src/api/operation.ts'
import { postComments } from '../../src/api/endpoints/professionalnet/comments.ts'
import { companyGet } from '../../src/api/endpoints/professionalnet/company.ts'
import { industriesList } from '../../src/api/endpoints/professionalnet/industries.ts'
import { professionalnetPostsSearch } from '../../src/api/endpoints/professionalnet/posts.ts'
import {
  type Shape,
  anyText,
  anyWhole,
  flag,
  int64,
  list,
  number,
  object,
  oneOf,
  optional,
  orNull,
  text,
  whole,
} from './shapes.ts'

const texts = (...names: string[]) => Object.fromEntries(names.map((name) => [name, anyText]))
const numbers = (...names: string[]) => Object.fromEntries(names.map((name) => [name, number]))
const nullables = (...names: string[]) => Object.fromEntries(names.map((name) => [name, orNull(anyText)]))
const open = (fields: Record<string, Shape>) =>
  optional(object(Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, optional(shape)]))))

const planet = (depth = 1): Shape =>
  open({
    ...texts('name', 'description', 'type', 'discoveredAt', 'image', 'lastUpdated'),
    ...texts('successCallbackUrl', 'failureCallbackUrl'),
    ...{ id: int64, habitabilityIndex: number, tags: list(anyText) },
    physicalProperties: open({
      ...numbers('mass', 'radius', 'gravity', 'measurement1', 'measurement2'),
      temperature: open(numbers('min', 'max', 'average', 'temperatureMetric1', 'temperatureMetric2')),
    }),
    atmosphere: list(
      open({ ...texts('compound', 'atmosphericData1', 'atmosphericData2'), percentage: number }),
    ),
    creator: open({ id: int64, name: anyText }),
    ...(depth > 0 && {
      satellites: list(
        open({
          ...texts('name', 'description', 'type'),
          ...{ id: int64, diameter: number },
          orbit: open({ planet: planet(depth - 1), ...numbers('orbitalPeriod', 'distance') }),
        }),
      ),
    }),
  })
/** The operations of the catalog, which take and send the same. */
export const catalog: [Operation, Shape][] = catalogOperations.map((operation) => [operation, planet()])

const accounts = optional(list(text(0, 100), 30))
const words = optional(list(text(0, 200), 50))
const ids = optional(text(0, 120))
const flags = [
  'removePostsWithLinks',
  'onlyPostsWithLinks',
  'removeReplies',
  'onlyReplies',
  'removePostsWithMedia',
  'onlyPostsWithMedia',
  'removePostsWithVideo',
  'onlyPostsWithVideo',
  'removePostsWithPhotos',
  'onlyPostsWithPhotos',
]
const minimums = ['minimumRepliesCount', 'minimumRetweetsCount', 'minimumLikesCount']
const each = (names: string[], shape: Shape) =>
  Object.fromEntries(names.map((name) => [name, optional(shape)]))

/** The bounds of the service's description, stated a second time and independently. */
export const requests: [Operation, Shape][] = [
  [
    microblogSearch,
    object(
      {
        query: text(1, 200),
        cursor: optional(text(0, 1024)),
        count: optional(whole(1, 20)),
        category: optional(oneOf('Top', 'Latest', 'People', 'Photos', 'Videos')),
        filters: optional(
          object(
            {
              ...{ lang: optional(text(0, 32)), since: optional(text(0, 32)), until: optional(text(0, 32)) },
              ...{ exactSentence: optional(text(0, 512)), anyOfTheseWords: words, noneOfTheseWords: words },
              hashtags: optional(list(text(0, 200), 30)),
              ...{ fromTheseAccounts: accounts, toTheseAccounts: accounts, mentionsTheseAccounts: accounts },
              ...each(flags, flag),
              linksInclude: optional(text(0, 200)),
              ...each(minimums, whole(0)),
              ...{ geocode: optional(text(0, 120)), radius: optional(number) },
            },
            true,
          ),
        ),
      },
      true,
    ),
  ],
  [
    professionalnetPostsSearch,
    object(
      {
        ...{ query: text(1, 200), page: optional(whole(1)), sort_by: optional(oneOf('recent', 'relevant')) },
        ...{ count: optional(whole(1, 20)), author_job_title: optional(text(0, 80)) },
        content_type: optional(oneOf('photos', 'videos', 'liveVideos', 'collaborativeArticles', 'documents')),
        ...{ from_member: ids, from_organization: ids, author_company: ids },
        author_industry: optional(list(anyWhole, 5)),
        ...{ mentions_member: ids, mentions_organization: ids },
      },
      true,
    ),
  ],
  [companyGet, object({ url: text(1, 2048) }, true)],
  [postComments, object({ postUrl: text(1, 2048), maxComments: optional(whole(100, 1000)) }, true)],
  [industriesList, object({ q: optional(text(1, 100)), page: optional(whole(1)) }, true)],
  ...catalog,
]

const location = object({
  ...nullables('country', 'city', 'geographicArea', 'postalCode', 'line1', 'line2', 'description'),
  headquarter: flag,
})

const professionalnetPost = object({
  ...texts('share_url', 'commentary', 'postedAt', 'urn', 'reactionsUrn', 'commentsUrn', 'repostsUrn'),
  actor: object(
    texts(
      'actor_image',
      'actor_description',
      'actor_name',
      'actor_subDescription',
      'actor_navigationContext',
    ),
  ),
  social_details: object({
    ...numbers('numLikes', 'numComments', 'numShares'),
    reactionTypeCounts: list(object({ type: anyText, count: number })),
  }),
  imageComponent: optional(list(anyText)),
  articleComponent: optional(
    object({
      ...texts('title', 'subtitle', 'navigationContext', 'smallImage'),
      description: optional(anyText),
    }),
  ),
  professionalnetVideoComponent: optional(
    object({ thumbnail: anyText, duration: number, provider: anyText }),
  ),
  documentComponent: optional(
    object({
      ...texts('title', 'transcribedDocumentUrl'),
      coverPages: list(object({ ...numbers('width', 'height'), imageUrls: list(anyText) })),
    }),
  ),
  pollComponent: optional(
    object({
      ...texts('question', 'visibilityInfo', 'remainingDuration'),
      ...{ showPollSummaryInfo: flag, closed: flag, totalVotes: number },
      pollOptions: list(object({ option: anyText, votes: number })),
    }),
  ),
})

const microblogPost = object({
  ...texts('id', 'body', 'author', 'name', 'timestamp', 'url'),
  ...{ images: list(anyText), video: orNull(anyText) },
  engagements: object(
    numbers('bookmarkCount', 'favoriteCount', 'quoteCount', 'replyCount', 'retweetCount', 'viewsCount'),
  ),
})

const company = object({
  ...texts('id', 'name'),
  ...nullables('universalName', 'linkedinUrl', 'description', 'tagline', 'websiteUrl', 'industry', 'logoUrl'),
  ...{ foundedYear: orNull(anyWhole), followerCount: whole(0), employeeCount: whole(0) },
  employeeCountRange: orNull(object({ start: whole(0), end: orNull(whole(0)) })),
  ...{ headquarter: orNull(location), locations: list(location), specialities: list(anyText) },
})

const comment = object(texts('profileUrl', 'authorName', 'authorHeadline', 'text', 'timestamp', 'permalink'))
const industry = object({ id: anyWhole, label: anyText, hierarchy: anyText })
const returnedCount = whole(0)

const body = (fields: Record<string, Shape>) => object({ requestId: anyText, ...fields })

/** What comes back, stated the same way. */
export const responses: [Operation, Shape][] = [
  [
    microblogSearch,
    body({
      posts: list(microblogPost),
      meta: object({ returnedCount, hasMore: flag, nextCursor: optional(anyText) }),
    }),
  ],
  [
    professionalnetPostsSearch,
    body({ posts: list(professionalnetPost), meta: object({ returnedCount, page: whole(1) }) }),
  ],
  [companyGet, body({ company })],
  [
    postComments,
    body({
      comments: list(comment),
      meta: object({ returnedCount: anyWhole, total: optional(anyWhole), creditsCharged: anyWhole }),
    }),
  ],
  [
    industriesList,
    body({
      industries: list(industry),
      meta: object({ total: anyWhole, page: anyWhole, pageCount: anyWhole, pageSize: anyWhole }),
    }),
  ],
  ...catalog,
]
