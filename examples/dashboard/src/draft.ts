import type { Address } from './address.ts'
import { type Network, type Search, networks } from './networks.ts'
import { type Day, type Period, dayMs, dayName, lastDays, lengthOf, spanOf, today } from './period.ts'

/** What the form says. */
export interface Draft extends Period {
  network: Network
  query: string
  versus: string
  lang: string
  noReplies: boolean
  /** Where the search begins: posts come newest first, so that a longer period only needs more pages. */
  newest: Day
  /** Pages of 20 posts to buy, at most. */
  pages: number
}

export const blank = (): Draft => ({
  network: 'microblog',
  ...{ query: '', versus: '', lang: '', noReplies: false, newest: today(), pages: 3 },
  ...lastDays(28),
})

export function draftOf({ on, q, vs, lang, since, until, newest, replies, pages }: Address): Draft {
  const { from, to: latest } = blank()
  const to = asDay(until) ?? latest
  return {
    network: on === 'professionalnet' ? on : 'microblog',
    ...{ query: q ?? '', versus: vs ?? '', lang: lang ?? '', noReplies: replies === 'no' },
    ...{ from: asDay(since) ?? from, to, newest: asDay(newest) ?? to, pages: Number(pages) || 3 },
  }
}

export function addressOf({ from, to, newest, ...draft }: Draft): Address {
  return {
    ...{ q: draft.query.trim(), vs: draft.versus.trim(), lang: draft.lang, since: from, until: to, at: '' },
    ...{ replies: draft.noReplies ? 'no' : '', newest: newest === to ? '' : newest },
    ...{ pages: String(draft.pages), on: draft.network === 'microblog' ? '' : draft.network },
  }
}

const asDay = (text = '') => (/^\d{4}-\d\d-\d\d$/.test(text) && Date.parse(text) ? text : undefined)

/** The searches of a form: one for each different query. */
export function searchesOf({ network, lang, noReplies, newest, ...draft }: Draft): Search[] {
  if (draft.from > draft.to) return []
  const queries = [draft.query, draft.versus].map((text) => text.trim()).filter((text) => text !== '')
  // Days of the service are in UTC: the first one that begins when the newest day here is over.
  const end = spanOf({ from: newest, to: newest }).until
  const until = new Date(Math.ceil(end / dayMs) * dayMs).toISOString().slice(0, 10)
  const filters = { until, ...(lang && { lang }), ...(noReplies && { removeReplies: true }) }
  return [...new Set(queries)].map((query) => ({
    ...{ network, query },
    params: network === 'microblog' ? { query, category: 'Latest', filters } : { query, sort_by: 'recent' }, // it always begins with the newest posts
  }))
}

export function periodName({ from, to }: Period): string {
  const isLatest = to === today()
  return isLatest ? `${lengthOf({ from, to })} days` : `${dayName(from)} to ${dayName(to)}`
}

export function nameOf(draft: Draft): string {
  const { network, query, versus, lang, noReplies } = draft
  const names = [
    [query, versus].filter(Boolean).join(' vs '),
    periodName(draft),
    lang,
    noReplies && 'no replies',
    network !== 'microblog' && networks[network].name.toLowerCase(),
  ]
  return names.filter(Boolean).join(', ')
}

/** Whether two forms search for the same posts, in whatever period. */
export function isSameSearch(a: Draft, b: Draft): boolean {
  const texts = [a, b].map(({ query, versus }) => `${query.trim()}\n${versus.trim()}`)
  return a.network === b.network && texts[0] === texts[1] && a.lang === b.lang && a.noReplies === b.noReplies
}
