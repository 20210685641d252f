import fc from './chance.ts'
import { catalogOperations } from '../../src/api/catalog/operations.ts'
import { microblogSearch } from '../../src/api/endpoints/microblog.ts'
import type { Operation } from '../../src/api/operation.ts'
import { postComments } from '../../src/api/endpoints/professionalnet/comments.ts'
import { companyGet } from '../../src/api/endpoints/professionalnet/company.ts'
import { industriesList } from '../../src/api/endpoints/professionalnet/industries.ts'
import { professionalnetPostsSearch } from '../../src/api/endpoints/professionalnet/posts.ts'

/** A documented field: what it may hold, and single values that it must not. */
export interface Shape {
  valid: fc.Arbitrary<unknown>
  /** Each with the path below the field at which it is to be refused. */
  violations: { path: (string | number)[]; value: unknown }[]
  optional?: boolean
}

const here = (...values: unknown[]) => values.map((value) => ({ path: [], value }))
const sampleOf = (values: fc.Arbitrary<unknown>) => fc.sample(values, { numRuns: 1, seed: 1 })[0]
const unit = fc.constantFrom('x', 'é', '日', '😀', ' ')

function text(min: number, max: number): Shape {
  const tooShort = min > 0 ? [''] : []
  return {
    valid: fc.oneof(
      { weight: 4, arbitrary: fc.string({ unit, minLength: min, maxLength: max }) },
      { weight: 1, arbitrary: fc.constantFrom('x'.repeat(max), '😀'.repeat(max)) },
    ),
    violations: here(...tooShort, 'x'.repeat(max + 1), '😀'.repeat(max + 1), 5, null, {}, ['x']),
  }
}

const anyText: Shape = { valid: fc.string(), violations: here(5, null, {}, [], true) }
const flag: Shape = { valid: fc.boolean(), violations: here('true', 0, null) }
const number: Shape = {
  valid: fc.double({ noNaN: true, noDefaultInfinity: true }),
  violations: here('1', null, {}),
}

function whole(min: number, max?: number): Shape {
  return {
    valid: fc.integer({ min, max: max ?? 2 ** 31 }),
    violations: here(min - 1, min + 0.5, '1', null, ...(max === undefined ? [] : [max + 1])),
  }
}

const anyWhole: Shape = { valid: fc.integer(), violations: here(0.5, '1', null) }

/** An integer of 64 bits, as it comes when no digit is lost. */
const int64: Shape = {
  valid: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  violations: here(2n ** 63n, 2 ** 53, 0.5, '1', null),
}

const oneOf = (...values: string[]): Shape => ({
  valid: fc.constantFrom(...values),
  violations: here('other', 5, null, `${values[0]}!`),
})

function list(item: Shape, maxItems = Infinity): Shape {
  const sample = sampleOf(item.valid)
  const samples = (length: number) => Array.from({ length }, () => sample)
  const some = fc.array(item.valid, { maxLength: Math.min(maxItems, 4) })
  const tooMany = maxItems === Infinity ? [] : here(samples(maxItems + 1))
  return {
    valid: maxItems === Infinity ? some : fc.oneof(some, fc.constant(samples(maxItems))),
    violations: [
      ...[...here('x', 5, null, {}), ...tooMany],
      ...item.violations.map(({ path, value }) => ({
        path: [1, ...path],
        value: [sample, wrap(path, value, sample)],
      })),
    ],
  }
}

function orNull(shape: Shape): Shape {
  return { valid: fc.option(shape.valid), violations: shape.violations.filter(({ value }) => value !== null) }
}

const optional = (shape: Shape): Shape => ({ ...shape, optional: true })

/** @param closed Whether properties that are not documented are refused. */
function object(fields: Record<string, Shape>, closed = false): Shape {
  const required = Object.keys(fields).filter((name) => fields[name]?.optional !== true)
  const values = Object.fromEntries(Object.entries(fields).map(([name, { valid }]) => [name, valid]))
  const whole = sampleOf(fc.record(values)) as object
  const without = (name: string) => Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name))
  return {
    valid: fc.record(values, { requiredKeys: required }),
    violations: [
      ...here('x', 5, []),
      ...required.map((name) => ({ path: [name], value: without(name) })),
      ...Object.entries(fields).flatMap(([name, { violations }]) =>
        violations.map(({ path, value }) => ({ path: [name, ...path], value: { ...whole, [name]: value } })),
      ),
      ...(closed ? [{ path: ['undocumented'], value: { ...whole, undocumented: 1 } }] : []),
    ],
  }
}

/** A violation inside an object or list already comes as a whole value. */
function wrap(path: (string | number)[], value: unknown, sample: unknown): unknown {
  return path.length === 0 || typeof value === 'object' ? value : sample
}

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
