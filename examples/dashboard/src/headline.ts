import { type Metric, type Post, leadOf, leaderOf, numbersOf } from './measure.ts'
import { type Day, type Span, dayName, dayOf, lengthOf, partOf, startOf, wholeDaysOf } from './period.ts'

/** Fewer posts of a search make no ratio, and lead nothing. */
export const fewPosts = 5

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 })
/** A number of the page: exact below a million, so that whoever compares two finds the lead that the page names. A dash is unknown. */
export const figure = (value: number | null | undefined) =>
  value == null ? '–' : value < 1e6 ? value.toLocaleString('en') : compact.format(value)
export const plural = (count: number | null, noun: string, nouns = `${noun}s`) =>
  `${figure(count)} ${count === 1 ? noun : nouns}`

/** Keeps foreign text from turning the words around it, as `<bdi>` does. */
export const isolated = (text: string) => `\u2068${text}\u2069`

/** A search and its posts in the time that is compared. */
interface Side {
  query: string
  posts: Post[]
}

/** What decides who leads: views, or engagement on a network that counts no views. */
type Loudness = 'views' | 'engagement'

/** Who leads, and why. */
export function verdictOf(
  sides: Side[],
  covered: Span,
  { when, isPartial = false, by = 'views' }: { when: string; isPartial?: boolean; by?: Loudness },
): { headline: string; why: string } {
  const [first, second] = sides
  if (!first) return { headline: '', why: '' }
  if (sides.every(({ posts }) => posts.length === 0))
    return { headline: `No posts about ${sides.map(({ query }) => query).join(' or ')} ${when}`, why: '' }
  if (!second || sides.some(({ posts }) => posts.length < fewPosts)) {
    const counts = sides.map(({ query, posts }) => `${plural(posts.length, 'post')} about ${query}`)
    const driver = second ? null : driverOf(first.posts, covered, by, `the ${by}`)
    return { headline: `${counts.join(', ')} ${when}`, why: driver ? `${driver.text}.` : '' }
  }

  const valuesOf = (metric: Metric) => sides.map(({ posts }) => numbersOf(posts)[metric])
  const leader = (metric: Metric) => sides[leaderOf(valuesOf(metric)) ?? -1]
  const [loud, frequent] = [leader(by), leader('posts')]
  const period = isPartial ? ` ${when}` : ''
  const subject = loud ?? frequent
  if (!subject) return { headline: `About level in posts and ${by}${period}`, why: '' }
  const reasons = [...new Set([by, 'engagement', 'posts'] as const)]
    .filter((metric) => leader(metric) === subject)
    .map((metric) => `${leadOf(valuesOf(metric))} the ${metric}`)
  const driver = loud && driverOf(loud.posts, covered, by, `its ${by}`)
  const headline =
    loud === frequent
      ? `${subject.query} leads in posts and ${by}`
      : `${subject.query} leads in ${loud ? by : 'posts'}${loud && frequent ? `, ${frequent.query} in posts` : ''}`
  const next = driver && leaderWithout(driver.day, sides, by)
  const flip =
    driver && next !== loud && `without which ${next ? `${next.query} leads` : 'they are about level'}`
  const day = [driver?.text, flip].filter(Boolean).join(', ')
  const why = [`${subject.query}: ${reasons.join(', ')}`, day].filter(Boolean).join('. ')
  return { headline: headline + period, why: `${why}.` }
}

/** Who leads if a day is left out. */
function leaderWithout(day: Day, sides: Side[], by: Loudness): Side | undefined {
  const others = sides.map(({ posts }) => posts.filter(({ timestamp }) => dayOf(timestamp) !== day))
  return sides[leaderOf(others.map((posts) => numbersOf(posts)[by])) ?? -1]
}

/** The day that a third of the views or engagement goes to, if there are enough posts, of several days that are whole. */
function driverOf(posts: Post[], covered: Span, by: Loudness, of: string): { day: Day; text: string } | null {
  const days = [...Map.groupBy(posts, ({ timestamp }) => dayOf(timestamp))]
  const sum = (posts: Post[]) => numbersOf(posts)[by]
  const [day, best] = days.reduce((a, b) => (sum(b[1]) > sum(a[1]) ? b : a), ['', [] as Post[]])
  const percent = Math.floor((100 * sum(best)) / sum(posts))
  if (posts.length < fewPosts || days.length < 2 || !(3 * sum(best) >= sum(posts))) return null
  if (startOf(day) < covered.from || lengthOf(wholeDaysOf(covered)) < 3) return null
  const name = [dayName(day), partOf(day, 'days', covered)].filter(Boolean).join(' ')
  return { day, text: `${plural(best.length, 'post')} of ${name} got ${percent}% of ${of}` }
}
