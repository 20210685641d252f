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
const optionals = (fields: Record<string, Shape>) =>
  Object.fromEntries(Object.entries(fields).map(([name, shape]) => [name, optional(shape)]))
const each = (names: string[], shape: Shape) => Object.fromEntries(names.map((name) => [name, shape]))
/** Fields that may all be missing. */
const open = (fields: Record<string, Shape>) => optional(object(optionals(fields)))
/** What takes no other fields; apart from the first ones, all may be missing. */
const closed = (required: Record<string, Shape>, others: Record<string, Shape> = {}) =>
  object({ ...required, ...optionals(others) }, true)

const gas = open({ ...texts('compound', 'atmosphericData1', 'atmosphericData2'), percentage: number })
const planet = (depth = 1): Shape =>
  open({
    ...texts('name', 'description', 'type', 'discoveredAt', 'image', 'lastUpdated'),
    ...texts('successCallbackUrl', 'failureCallbackUrl'),
    ...{ id: int64, habitabilityIndex: number, tags: list(anyText) },
    physicalProperties: open({
      ...numbers('mass', 'radius', 'gravity', 'measurement1', 'measurement2'),
      temperature: open(numbers('min', 'max', 'average', 'temperatureMetric1', 'temperatureMetric2')),
    }),
    ...{ atmosphere: list(gas), creator: open({ id: int64, name: anyText }) },
    ...(depth > 0 && { satellites: list(satellite(depth - 1)) }),
  })
const satellite = (depth: number) =>
  open({
    ...texts('name', 'description', 'type'),
    ...{ id: int64, diameter: number },
    orbit: open({ planet: planet(depth), ...numbers('orbitalPeriod', 'distance') }),
  })
/** The operations of the catalog, which take and send the same. */
export const catalog: [Operation, Shape][] = catalogOperations.map((operation) => [operation, planet()])

const accounts = list(text(0, 100), 30)
const words = list(text(0, 200), 50)
const id = text(0, 120)
const ids = ['from_member', 'from_organization', 'author_company', 'mentions_member', 'mentions_organization']
const media = ['WithLinks', 'WithMedia', 'WithVideo', 'WithPhotos']
const flags = [
  'removeReplies',
  'onlyReplies',
  ...media.flatMap((kind) => [`removePosts${kind}`, `onlyPosts${kind}`]),
]
const minimums = ['minimumRepliesCount', 'minimumRetweetsCount', 'minimumLikesCount']

const filters = closed(
  {},
  {
    ...each(['lang', 'since', 'until'], text(0, 32)),
    ...{ exactSentence: text(0, 512), anyOfTheseWords: words, noneOfTheseWords: words },
    hashtags: list(text(0, 200), 30),
    ...each(['fromTheseAccounts', 'toTheseAccounts', 'mentionsTheseAccounts'], accounts),
    ...{ ...each(flags, flag), linksInclude: text(0, 200), ...each(minimums, whole(0)) },
    ...{ geocode: id, radius: number },
  },
)
const category = oneOf('Top', 'Latest', 'People', 'Photos', 'Videos')
const contentType = oneOf('photos', 'videos', 'liveVideos', 'collaborativeArticles', 'documents')
const count = whole(1, 20)
const networkParams = {
  ...{ page: whole(1), sort_by: oneOf('recent', 'relevant'), count, author_job_title: text(0, 80) },
  ...{ content_type: contentType, author_industry: list(anyWhole, 5), ...each(ids, id) },
}

/** The bounds of the service's description, stated a second time and independently. */
export const requests: [Operation, Shape][] = [
  [microblogSearch, closed({ query: text(1, 200) }, { cursor: text(0, 1024), count, category, filters })],
  [professionalnetPostsSearch, closed({ query: text(1, 200) }, networkParams)],
  [companyGet, closed({ url: text(1, 2048) })],
  [postComments, closed({ postUrl: text(1, 2048) }, { maxComments: whole(100, 1000) })],
  [industriesList, closed({}, { q: text(1, 100), page: whole(1) })],
  ...catalog,
]

const location = object({
  ...nullables('country', 'city', 'geographicArea', 'postalCode', 'line1', 'line2', 'description'),
  headquarter: flag,
})

const actor = ['image', 'description', 'name', 'subDescription', 'navigationContext']
const article = texts('title', 'subtitle', 'navigationContext', 'smallImage')
const pages = object({ ...numbers('width', 'height'), imageUrls: list(anyText) })
const poll = object({
  ...texts('question', 'visibilityInfo', 'remainingDuration'),
  ...{ showPollSummaryInfo: flag, closed: flag, totalVotes: number },
  pollOptions: list(object({ option: anyText, votes: number })),
})

const professionalnetPost = object({
  ...texts('share_url', 'commentary', 'postedAt', 'urn', 'reactionsUrn', 'commentsUrn', 'repostsUrn'),
  actor: object(texts(...actor.map((name) => `actor_${name}`))),
  social_details: object({
    ...numbers('numLikes', 'numComments', 'numShares'),
    reactionTypeCounts: list(object({ type: anyText, count: number })),
  }),
  ...optionals({
    ...{ imageComponent: list(anyText), pollComponent: poll },
    articleComponent: object({ ...article, description: optional(anyText) }),
    professionalnetVideoComponent: object({ thumbnail: anyText, duration: number, provider: anyText }),
    documentComponent: object({ ...texts('title', 'transcribedDocumentUrl'), coverPages: list(pages) }),
  }),
})

const engagements = ['bookmark', 'favorite', 'quote', 'reply', 'retweet', 'views']
const microblogPost = object({
  ...texts('id', 'body', 'author', 'name', 'timestamp', 'url'),
  ...{ images: list(anyText), video: orNull(anyText) },
  engagements: object(numbers(...engagements.map((name) => `${name}Count`))),
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

/** A body, whose meta has these fields. */
const body = (fields: Record<string, Shape>, meta?: Record<string, Shape>) =>
  object({ requestId: anyText, ...fields, ...(meta && { meta: object(meta) }) })
const cursor = { hasMore: flag, nextCursor: optional(anyText) }
const counts = { returnedCount: anyWhole, total: optional(anyWhole), creditsCharged: anyWhole }

/** What comes back, stated the same way. */
export const responses: [Operation, Shape][] = [
  [microblogSearch, body({ posts: list(microblogPost) }, { returnedCount, ...cursor })],
  [professionalnetPostsSearch, body({ posts: list(professionalnetPost) }, { returnedCount, page: whole(1) })],
  [companyGet, body({ company })],
  [postComments, body({ comments: list(comment) }, counts)],
  [
    industriesList,
    body({ industries: list(industry) }, each(['total', 'page', 'pageCount', 'pageSize'], anyWhole)),
  ],
  ...catalog,
]
