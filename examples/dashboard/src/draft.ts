import type { MicroblogSearchParams } from 'social-search-sdk'
import type { Address } from './address.ts'
import { type Period, addDays, before, dayName, lastDays, lengthOf } from './period.ts'

/** What the form says. */
export interface Draft extends Period {
  query: string
  versus: string
  lang: string
  noReplies: boolean
  /** Pages of 20 posts to buy, at most. */
  pages: number
}

export const blank = (): Draft => ({
  ...{ query: '', versus: '', lang: '', noReplies: false, pages: 3 },
  ...lastDays(28),
})

export function draftOf({ q, vs, lang, since, until, replies, pages }: Address): Draft {
  const { from, to } = blank()
  return {
    ...{ query: q ?? '', versus: vs ?? '', lang: lang ?? '', noReplies: replies === 'no' },
    ...{ from: asDay(since) ?? from, to: asDay(until) ?? to, pages: Number(pages) || 3 },
  }
}

export function addressOf({ query, versus, lang, from, to, noReplies, pages }: Draft): Address {
  return {
    ...{ q: query.trim(), vs: versus.trim(), lang, since: from, until: to, replies: noReplies ? 'no' : '' },
    pages: String(pages),
  }
}

const asDay = (text = '') => (/^\d{4}-\d\d-\d\d$/.test(text) && Date.parse(text) ? text : undefined)

/** The searches of a form: one for each different query. They begin with the period before, to compare with. */
export function searchesOf(draft: Draft): MicroblogSearchParams[] {
  const { lang, noReplies, from, to } = draft
  if (from > to) return []
  const queries = [draft.query, draft.versus].map((text) => text.trim()).filter((text) => text !== '')
  const filters = {
    ...{ since: before({ from, to }).from, until: addDays(to, 1) },
    ...(lang && { lang }),
    ...(noReplies && { removeReplies: true }),
  }
  return [...new Set(queries)].map((query) => ({ query, category: 'Latest', filters }))
}

export function nameOf(draft: Draft): string {
  const { query, versus, lang, noReplies, from, to } = draft
  const isLatest = to === lastDays(1).to
  const dates = isLatest ? `${lengthOf({ from, to })} days` : `${dayName(from)} to ${dayName(to)}`
  const names = [[query, versus].filter(Boolean).join(' or '), dates, lang, noReplies && 'no replies']
  return names.filter(Boolean).join(', ')
}
