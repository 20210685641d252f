import {
  maxComments as bounds,
  type ProfessionalnetComment,
  type ProfessionalnetPostsCommentsParams,
  postComments,
} from '../../api/endpoints/professionalnet/comments.ts'
import type {
  ProfessionalnetContentType,
  ProfessionalnetPost,
  ProfessionalnetPostsSearchParams,
} from '../../api/endpoints/professionalnet/posts.ts'
import { postReactions } from '../../api/endpoints/professionalnet/reactions.ts'
import { pageIn, pageOf, requiredText, SandboxError, take, textIn } from './answers.ts'
import { labelOf } from './companies.ts'
import components from './components.json' with { type: 'json' }
import {
  type Author,
  type Topic,
  authors,
  companyPages,
  composePost,
  fill,
  people,
  topicAbout,
  topics,
} from './compose-post.ts'
import phrases from './phrases.json' with { type: 'json' }
import { type Item, type Make, type PostStore, idAt, makeUp } from './post-store.ts'
import { type Random, createRandom, hash } from './random.ts'
import { fold, handlesIn, normalize } from './words.ts'

/** A post, with data for searches that the service does not send. */
export interface NetworkPost extends Item {
  readonly post: ProfessionalnetPost
  readonly topic: Topic
  /** Null for one that a test made up. */
  readonly author: Author | null
}

type Store = PostStore<NetworkPost>

const reactionTypes = ['LIKE', 'PRAISE', 'EMPATHY', 'INTEREST', 'APPRECIATION', 'ENTERTAINMENT']

const make: Make<NetworkPost> = (random, at, query) => {
  const author = random.pick(random.chance(0.85) ? people : companyPages)
  const { handle, name, profile } = author
  const topic = topicAbout(query) ?? random.pick(topics)
  const commentary = composePost(random, topic)
  const activity = idAt(random, at)
  const postedAt = new Date(at).toISOString()
  const component = random.chance(0.6) ? random.pick(components) : {}
  const post: ProfessionalnetPost = {
    share_url: `https://professionalnet.example/posts/${handle}_${slugFor(query || topic.keyword)}-activity-${activity}`,
    actor: {
      actor_image: profile.image,
      actor_description: profile.headline,
      actor_name: name,
      actor_subDescription: postedAt.slice(0, 10),
      actor_navigationContext: profile.url,
    },
    commentary,
    social_details: engage(random),
    postedAt,
    ...urnsOf(activity),
    ...(JSON.parse(fill(random, topic, JSON.stringify(component))) as typeof component),
  }
  return { ...indexNetworkPost(post, at), topic, author }
}

export function indexNetworkPost(post: ProfessionalnetPost, at: number) {
  return { post, at, words: normalize(post.commentary) + normalize(post.actor.actor_name) }
}

/** How posts on the professional network are made up. */
export const networkPosts = makeUp('professionalnet', make)

export function urnsOf(activity: string) {
  const urn = (kind: string) => `urn:professionalnet:${kind}:${activity}`
  return {
    ...{ urn: urn('activity'), reactionsUrn: urn('reactions') },
    ...{ commentsUrn: urn('comments'), repostsUrn: urn('reposts') },
  }
}

function engage(random: Random): ProfessionalnetPost['social_details'] {
  const counts = reactionTypes.map((type, index) => ({
    type,
    count: Math.floor(random.longTail(22) / (index * index + 1)),
  }))
  return {
    numLikes: counts.reduce((sum, { count }) => sum + count, 0),
    numComments: random.chance(0.15) ? 0 : random.longTail(16),
    numShares: Math.floor(random.longTail(4) / 2),
    reactionTypeCounts: counts.filter(({ count }) => count > 0),
  }
}

/** Posts on a full page. The service does not document how many it returns. */
const postsPageSize = 10

const contentTests: Record<ProfessionalnetContentType, (post: NetworkPost['post']) => boolean> = {
  photos: (post) => post.imageComponent !== undefined,
  videos: (post) => post.professionalnetVideoComponent !== undefined,
  liveVideos: (post) => post.professionalnetVideoComponent?.provider === 'live',
  collaborativeArticles: (post) => post.articleComponent !== undefined,
  documents: (post) => post.documentComponent !== undefined,
}

/**
 * Searches posts. How the service matches is not documented; these rules are the sandbox's own:
 *
 * - Every word of the query must occur as a whole word in the text or the author's name, in any case.
 * - Without `sort_by`, and with `recent`, the newest come first, otherwise those with the most engagement.
 * - `author_job_title` matches as a substring.
 * - Comma-separated lists ask for one of their items. People are named by URN or by the last part of it.
 * - Empty lists and blank texts ask for nothing, and `count` is ignored, as documented.
 */
export function searchPosts(store: Store, params: ProfessionalnetPostsSearchParams) {
  const { query, page = 1, sort_by = 'recent' } = params
  const isRecent = sort_by === 'recent'
  const end = page * postsPageSize
  const found = take(store.find(query, store.now()), compileFilters(params), isRecent ? end : Infinity)
  if (!isRecent) found.sort((a, b) => scoreOf(b.post) - scoreOf(a.post))
  const posts = found.slice(end - postsPageSize, end).map(({ post }) => post)
  return { posts, meta: { returnedCount: posts.length, page } }
}

function scoreOf({ social_details }: ProfessionalnetPost): number {
  const { numLikes, numComments, numShares } = social_details
  return numLikes + 3 * numComments + 2 * numShares
}

/** Turns filters into one test. */
function compileFilters(params: ProfessionalnetPostsSearchParams) {
  const tests: ((post: NetworkPost) => boolean)[] = []
  const { content_type, author_industry = [] } = params

  const title = fold(params.author_job_title ?? '').trim()
  if (title !== '') tests.push(({ author }) => fold(author?.jobTitle ?? '').includes(title))
  if (content_type !== undefined) tests.push(({ post }) => contentTests[content_type](post))
  if (author_industry.length > 0)
    tests.push(({ author }) => author_industry.map(labelOf).includes(author?.company.industry ?? ''))

  oneOf(params.from_member, ({ author }) => [author?.profile.urn])
  oneOf(params.from_organization, ({ author }) => [author?.profile.urn])
  oneOf(params.author_company, ({ author }) => [author?.jobTitle ? author.company.id : undefined])
  const mentioned = ({ post }: NetworkPost) =>
    handlesIn(post.commentary).map((handle) => authors.get(handle)?.profile.urn)
  oneOf(params.mentions_member, mentioned)
  oneOf(params.mentions_organization, mentioned)
  return (post: NetworkPost): boolean => tests.every((test) => test(post))

  function oneOf(list = '', of: (post: NetworkPost) => readonly (string | undefined)[]): void {
    const wanted = new Set(list.split(',').map(lastPart).filter(Boolean))
    if (wanted.size > 0) tests.push((post) => of(post).some((item) => wanted.has(lastPart(item ?? ''))))
  }
}

/** The part after the last colon of a URN; an id without colons stays as it is. */
function lastPart(urn: string): string {
  return urn.trim().split(':').at(-1) ?? ''
}

/** Records on a full page; `count` is ignored, as documented. */
const pageSize = 20

/**
 * Fetches a page of a person's posts. Request and response are made up, except the ignored `count`: the service documents
 * neither. It takes `profileUrl` and `cursor`, and returns `posts` as a search does, and the `meta` of a search by cursor.
 */
export function postsOf(store: Store, input: unknown) {
  const { person, request } = personIn(input, 'posts', store)
  const { page, meta } = pageOf(request, store.all, ({ author }) => author === person)
  return { posts: page.map(({ post }) => post), meta }
}

/** Fetches a page of a person's comments; made up as {@link postsOf} is, with those of a post as `comments`. */
export function commentsOf(store: Store, input: unknown) {
  const { person, request } = personIn(input, 'comments', store)
  const isAnswered = ({ post }: NetworkPost) => hash(`${person.handle} on ${post.urn}`) % 40 === 0
  const { page, meta } = pageOf(request, store.all, isAnswered)
  const comments = page.map((post) => {
    const random = createRandom(`${store.seed}/comment of ${person.handle} on ${post.post.urn}`)
    return commentBy(random, person, post, 1000 * random.integer(60, 90_000), request.now)
  })
  return { comments, meta }
}

/** The person that a request names, and the page that it asks for. */
function personIn(input: unknown, list: string, { seed, now }: Store) {
  const url = requiredText(input, 'profileUrl')
  const person = authors.get(/\/in\/([^/?#]+)/.exec(url.toLowerCase())?.[1] ?? '')
  if (person === undefined) throw new SandboxError(404, { message: `No profile at ${url}` })
  const search = [list, seed, url]
  return { person, request: { cursor: textIn(input, 'cursor'), count: pageSize, search, now: now() } }
}

/**
 * Fetches the comments on a post, oldest first; the same post always has the same ones. Those that a new post would get
 * later are of now. One post in five does not report how many it has.
 */
export function commentsOn(
  store: Store,
  { postUrl, maxComments = bounds.default }: ProfessionalnetPostsCommentsParams,
) {
  const found = findPost(store, postUrl)
  const { urn, social_details } = found.post
  const random = createRandom(`${store.seed}/comments/${urn}`)
  const total = social_details.numComments
  const returnedCount = Math.min(total, maxComments)
  const now = store.now()
  let delay = 0
  const comments = Array.from({ length: returnedCount }, () => {
    delay += 1000 * random.integer(20, 3000)
    return commentBy(random, random.pick(people), found, delay, now)
  })
  const creditsCharged = returnedCount * postComments.price.credits
  return { comments, meta: { returnedCount, ...(hash(urn) % 5 > 0 && { total }), creditsCharged } }
}

/** Makes up a comment on a post. It is later than the post, and not in the future. */
function commentBy(
  random: Random,
  { name, profile }: Author,
  { post, at, topic }: NetworkPost,
  delay: number,
  now: number,
): ProfessionalnetComment {
  return {
    profileUrl: profile.url,
    authorName: name,
    authorHeadline: profile.headline,
    text: fill(random, topic, random.pick(phrases.replies)),
    timestamp: new Date(Math.min(at + delay, now)).toISOString(),
    permalink: `${post.share_url}?comment=${random.hex(16)}`,
  }
}

/**
 * Fetches the reactions on a post. Request and response are made up: the service documents neither. It takes `postUrl`,
 * `cursor` and `count` up to 100, and answers with `reactions` and the `meta` of a search by cursor, with the credits charged.
 */
export function reactionsOn(store: Store, input: unknown) {
  const postUrl = requiredText(input, 'postUrl')
  const request = { ...pageIn(input, 100), search: ['reactions', store.seed, postUrl] }
  const { page: reactions, meta } = pageOf(request, () => {
    const { post } = findPost(store, postUrl)
    let next = createRandom(`${store.seed}/reactions/${post.urn}`).integer(0, people.length - 1)
    return post.social_details.reactionTypeCounts.flatMap(({ type, count }) =>
      Array.from({ length: count }, () => {
        // A prime step meets everybody before one comes again: a database keeps equal records once.
        next = (next + 101) % people.length
        const { name, profile } = people[next] ?? { name: '', profile: { urn: '', url: '' } }
        return { type, actorUrn: profile.urn, actorName: name, profileUrl: profile.url }
      }),
    )
  })
  return { reactions, meta: { ...meta, creditsCharged: reactions.length * postReactions.price.credits } }
}

/** Finds a post by its URL, which tells for which search it was made up, or by any text with its activity, such as a URN. */
function findPost(store: Store, url: string): NetworkPost {
  const [, slug = ''] = /_([^/_]+)-activity-/.exec(url) ?? []
  const query = new URLSearchParams(`slug=${slug}`).get('slug') ?? ''
  const number = /activity(?::|%3a|-)(\d+)/i.exec(url)?.[1] ?? ''
  const isIt = ({ post }: NetworkPost): boolean =>
    post.share_url === url || post.urn.split(':').at(-1) === number
  const now = store.now()
  const post = store.all(now).find(isIt) ?? [...store.find(query, now)].find(isIt)
  if (post === undefined) throw new SandboxError(404, { message: `No post at ${url}` })
  return post
}

/** What a post is about, in its address. */
function slugFor(query: string): string {
  return encodeURIComponent(query.toWellFormed()).replaceAll('_', '%5F')
}
