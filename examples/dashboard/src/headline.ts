import { type Metric, type Numbers, type Post, leadOf, leaderOf, numbersOf } from './measure.ts'
import { type Span, dayName, dayOf, partOf, startOf } from './period.ts'

/** Fewer posts of a search make no ratio, and lead nothing. */
export const fewPosts = 5

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
/** A number of the page: exact below a million, so that whoever compares two finds the lead that the page names. */
export const figure = (value: number) => (value < 1e6 ? value.toLocaleString('en') : compact.format(value))
export const plural = (count: number, noun: string, nouns = `${noun}s`) =>
  `${figure(count)} ${count === 1 ? noun : nouns}`

/** Keeps foreign text from turning the words around it, as `<bdi>` does. */
export const isolated = (text: string) => `\u2068${text}\u2069`

/** A search and its posts in the time that is compared. */
interface Side {
  query: string
  posts: Post[]
}

/** Who leads, and why. */
export interface Verdict {
  headline: string
  why: string
}

/** What makes a search loud: views, or engagement on a network that counts no views. */
type Loudness = 'views' | 'engagement'
const units = { views: 'view', engagement: 'interaction' }
const louder = { views: 'is louder', engagement: 'has more engagement' }

export function verdictOf(
  sides: Side[],
  covered: Span,
  { when, isPartial = false, by = 'views' }: { when: string; isPartial?: boolean; by?: Loudness },
): Verdict {
  const [first, second] = sides.map((side) => ({ ...side, numbers: numbersOf(side.posts) }))
  if (!first) return { headline: '', why: '' }
  const driverIn = ({ posts }: Side, of: string) => driverOf(posts, covered, by, of)
  if (!second) return alone()
  const both = [first, second]
  const valuesOf = (metric: Metric) => both.map(({ numbers }) => numbers[metric])
  const leader = (metric: Metric) => both[leaderOf(valuesOf(metric)) ?? -1]
  const lead = (metric: Metric) => leadOf(valuesOf(metric))

  const total = first.posts.length + second.posts.length
  if (total === 0) return { headline: `No posts about ${first.query} or ${second.query} ${when}`, why: '' }
  const inNumbers = both.map(({ query, numbers }) => `${query}: ${describe(numbers, by)}`).join('. ')
  if (both.some(({ posts }) => posts.length < fewPosts)) {
    const counts = both.map(({ query, posts }) => `${plural(posts.length, 'post')} about ${query}`)
    return { headline: `${counts.join(', ')} ${when}`, why: `${inNumbers}.` }
  }

  const [loud, frequent, engaging] = [leader(by), leader('posts'), leader('engagement')]
  const period = isPartial ? ` ${when}` : ''
  if (!loud && !frequent) return { headline: `About level in posts and ${by}${period}`, why: `${inNumbers}.` }
  const reasons = loud
    ? [
        amount(by, lead(by)),
        by === 'views' && loud === engaging && amount('engagement', lead('engagement')),
        loud === frequent && amount('posts', lead('posts')),
      ]
    : [
        valuesOf('posts')
          .sort((a, b) => b - a)
          .join(' posts to '),
      ]
  const subject = loud ?? frequent!
  const because = [...reasons, loud && driverIn(loud, `its ${by}`)].filter(Boolean).join(', ')
  const others = [
    by === 'views' &&
      engaging &&
      engaging !== subject &&
      `${engaging.query} has ${amount('engagement', lead('engagement'))}`,
    !frequent && `About as many posts: ${valuesOf('posts').join(' and ')}`,
    !loud &&
      `About as ${by === 'views' ? 'many views' : 'much engagement'}: ${valuesOf(by)
        .map(figure)
        .join(' and ')}`,
    loud && frequent && loud !== frequent && `${frequent.query}: ${amount('posts', lead('posts'))}`,
  ]
  const why = [`${subject.query}: ${because}`, ...others].filter(Boolean).join('. ')
  return { headline: headlineOf(), why: `${why}.` }

  function headlineOf(): string {
    if (loud && loud === frequent) return `${loud.query} leads in posts and ${by}${period}`
    const parts = [
      loud && `${loud.query} ${louder[by]}`,
      frequent && `${frequent.query} is talked about more often`,
    ]
    return `${parts.filter(Boolean).join(', ')}${period}`
  }

  function alone(): Verdict {
    const { query, posts, numbers } = first!
    if (posts.length === 0) return { headline: `No posts about ${query} ${when}`, why: '' }
    const why = `${plural(numbers[by], units[by])} ${by === 'views' ? 'of' : 'with'} posts by ${plural(numbers.authors, 'author')}`
    return {
      headline: `${plural(posts.length, 'post')} about ${query} ${when}`,
      why: `${[why, driverIn(first!, 'them')].filter(Boolean).join(', ')}.`,
    }
  }
}

const describe = (numbers: Numbers, by: Loudness) =>
  `${plural(numbers.posts, 'post')}, ${plural(numbers[by], units[by])}`

/** `65% more views`, `3× the engagement`, `all the posts`. */
const amount = (metric: Metric, lead: string) => `${lead} ${lead.endsWith('more') ? '' : 'the '}${metric}`

/** The day that a third of the views or engagement goes to, if there are enough posts, of several days. Days that begin before what is covered are not whole. */
function driverOf(posts: Post[], covered: Span, by: Loudness, of: string): string | null {
  const days = [...Map.groupBy(posts, ({ timestamp }) => dayOf(timestamp))]
  const sum = (posts: Post[]) => numbersOf(posts)[by]
  const [day, best] = days.reduce((a, b) => (sum(b[1]) > sum(a[1]) ? b : a), ['', [] as Post[]])
  const percent = Math.floor((100 * sum(best)) / sum(posts))
  if (posts.length < fewPosts || days.length < 2 || !(3 * sum(best) >= sum(posts))) return null
  if (startOf(day) < covered.from) return null
  const name = [dayName(day), partOf(day, 'days', covered)].filter(Boolean).join(' ')
  return `${percent}% of ${of} on ${name} (${plural(best.length, 'post')})`
}
