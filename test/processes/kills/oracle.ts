import type { WatchGap } from '../../../src/extensions/watch/index.ts'
import { allOf, rowsOf } from '../../support/posts-database.ts'
import type { GrowingService, PaidAnswer } from './growing-service.ts'

export interface Runs {
  /** Those that were not killed. */
  readonly ended: ReadonlySet<string>
  readonly watches: ReadonlySet<string>
}

/** What a file has that it should not have, by what the service knows. */
export function faultsOf(path: string, service: GrowingService, runs: Runs, watched: readonly string[]) {
  return [
    ...recordFaults(path, service.answers, runs),
    ...historyFaults(path, service.answers),
    ...spentFaults(path, service.charged),
    ...watched.flatMap((query) => gapFaults(path, service, query)),
  ]
}

/**
 * Each post is as the last answer has it that came. The last answer to a killed run may have come or not. Neither can be told
 * which of two answers came first that were under way at the same time. A watch wants no posts from before everything that it knew:
 * they end a page that closes its last gap.
 */
function recordFaults(path: string, answers: readonly PaidAnswer[], { ended, watches }: Runs): string[] {
  const last = new Map(answers.map(({ run, number }) => [run, number]))
  const isSure = ({ run, number }: PaidAnswer) => ended.has(run) || last.get(run) !== number
  const rows = allOf(path, 'SELECT id, body, "engagements.viewsCount" AS views FROM microblog_posts')
  const stored = new Map(rows.map((row) => [row['id'], row]))
  const wanted = ({ run, bodies }: PaidAnswer): string[] => {
    const all = [...bodies.keys()]
    const last = all.findLastIndex((id) => stored.has(id))
    return watches.has(run) && last !== -1 ? all.slice(0, last + 1) : all
  }
  const ids = new Set(answers.filter(isSure).flatMap(wanted))
  return [...ids].flatMap((id) => {
    const { views, body } = stored.get(id) ?? {}
    const answer = answers[Number(views) - 1]
    if (answer === undefined || answer.bodies.get(id) !== body)
      return [`${id}: no answer has ${String(views)} and ${String(body)}`]
    const later = answers.findLast((each) => isSure(each) && each.bodies.has(id))
    return later !== undefined && later.number > answer.seenAt
      ? [`${id}: stored is answer ${answer.number}, paid for answer ${later.number}`]
      : []
  })
}

/** A row for each change of a number, in order, and the first text if it was edited. */
function historyFaults(path: string, answers: readonly PaidAnswer[]): string[] {
  const rows = allOf(
    path,
    `SELECT id, counts.counted_at AS at, counts."engagements.viewsCount" AS views, counts.body AS first, posts.body AS now,
       posts."engagements.viewsCount" AS latest FROM microblog_posts_counts AS counts JOIN microblog_posts AS posts USING (id)
     ORDER BY id, counts.rowid`,
  )
  return rows.flatMap(({ id, at, views, first, now, latest }, index) => {
    const [before, after] = [rows[index - 1], rows[index + 1]]
    const isFirst = before?.['id'] !== id
    const isLast = after?.['id'] !== id
    const body = answers[Number(views) - 1]?.bodies.get(String(id))
    const isFault =
      (!isFirst && (String(before?.['at']) > String(at) || before?.['views'] === views)) ||
      (isLast && views !== latest) ||
      (isFirst ? (first ?? now) !== body : first !== null)
    return isFault ? [`history of ${String(id)}: ${String(at)} ${String(views)} ${String(first)}`] : []
  })
}

function spentFaults(path: string, charged: Readonly<Record<string, number>>): string[] {
  const sums =
    'SELECT search, sum(credits) AS c, sum(uncertain) AS u FROM social_search_spent GROUP BY search'
  const rows = allOf(path, sums)
  const spent = new Map(rows.map(({ search, c, u }) => [search, [Number(c), Number(u)] as const]))
  return Object.entries(charged).flatMap(([query, credits]) => {
    const [least, uncertain] = spent.get(query) ?? [0, 0]
    const isTrue = least <= credits && credits <= least + uncertain
    return isTrue ? [] : [`spent for ${query}: ${least} and ${uncertain} uncertain, charged ${credits}`]
  })
}

/** Each post between the oldest and the newest one is there or in a gap, and no gap is without a missing post. */
function gapFaults(path: string, { posts }: GrowingService, query: string): string[] {
  const found = new Set(rowsOf(path, `SELECT id FROM microblog_posts_found WHERE query = '${query}'`))
  const all = posts[query] ?? []
  const times = all.filter(({ id }) => found.has(id)).map(({ time }) => time)
  const [newest = '', oldest = ''] = [times[0], times.at(-1)]
  const known = `SELECT "from", "to" FROM social_search_gaps WHERE search = '${query}'`
  const gaps = allOf(path, known) as Partial<WatchGap>[]
  const isIn = ({ from, to }: Partial<WatchGap>, time: string) => time >= (from ?? '') && time <= (to ?? '9')
  const missing = all.filter(({ id, time }) => oldest < time && time < newest && !found.has(id))
  return [
    ...missing
      .filter(({ time, isDeleted }) => !isDeleted && !gaps.some((gap) => isIn(gap, time)))
      .map(({ id }) => `${query}: ${id} is missing, and in no gap`),
    ...gaps
      .filter((gap) => !missing.some(({ time }) => isIn(gap, time)))
      .map((gap) => `${query}: nothing is missing from ${String(gap.from)} to ${String(gap.to)}`),
  ]
}
