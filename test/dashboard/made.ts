import type { Page } from 'playwright-core'

const day = 86_400_000

export interface Made {
  id: string
  publishedAt: string
  state: string
  network: string
  listenerId: string
  fitScore: number
  text: string
}

export const isUnseen = ({ state }: Made) => state === 'new'

/** Mentions of 40 days, newest first, of which one day has more. */
export function made(count: number, now: string): Made[] {
  const end = Date.parse(now)
  const times = Array.from({ length: count }, (_, i) =>
    i % 9 === 0 ? end - 5 * day - (i % 1000) * 1000 : end - (40 * day * i) / count,
  ).sort((a, b) => b - a)
  return times.map((time, i) => ({
    ...{ id: `men_${i}`, publishedAt: new Date(time).toISOString(), state: i % 3 ? 'new' : 'seen' },
    ...{ listenerId: i % 4 ? 'lis_react' : 'lis_vue', network: i % 5 ? 'microblog' : 'technews' },
    ...{ fitScore: (i * 7919) % 101, text: `mention ${i}` },
  }))
}

/** Answers as the service does: pages by cursor, newest or best first, and a free count. */
export async function serve(page: Page, all: Made[]): Promise<void> {
  await page.route(/\/api\/social\/mentions(\/count)?(\?|$)/, (route) => {
    const { pathname, searchParams } = new URL(route.request().url())
    const { since = '', until = '9', minFitScore = 0, ...others } = Object.fromEntries(searchParams)
    const { sort, cursor, count, ...same } = others
    const fields = Object.entries(same) as [keyof Made, string][]
    const recent = all.filter(({ publishedAt }) => since <= publishedAt && publishedAt < until)
    const good = recent.filter(({ fitScore }) => fitScore >= Number(minFitScore))
    const wanted = good.filter((each) => fields.every(([name, value]) => each[name] === value))
    if (pathname.endsWith('/count')) return route.fulfill({ json: { requestId: 'r', count: wanted.length } })
    if (sort === 'fitScore') wanted.sort((a, b) => b.fitScore - a.fitScore)
    const [from, size] = [Number(cursor ?? 0), Number(count)]
    const hasMore = from + size < wanted.length
    const meta = { hasMore, ...(hasMore && { nextCursor: String(from + size) }) }
    return route.fulfill({ json: { requestId: 'r', mentions: wanted.slice(from, from + size), meta } })
  })
}
