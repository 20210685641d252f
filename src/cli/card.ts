import type { OperationId } from '../api/operations.ts'
import { cellOf } from '../extensions/export/fields.ts'
import { valueAt } from '../lib/value-at.ts'
import { type FormatOptions, type Formatter, lineAt, styled, terminalOptions } from './formatter.ts'
import type { SharedFlags } from './flags.ts'
import { escapedForTerminal } from './terminal.ts'
import { longestLine, wrap } from './text-layout.ts'

/** The paths of what a card of a post shows; `mark` stands before the author. */
type Card = Readonly<Record<'name' | 'author' | 'mark' | 'date' | 'text' | 'link', string>> & {
  readonly counts: Readonly<Record<string, string>>
}

const cards: { readonly [Id in OperationId]?: Card } = {
  'microblog.search': {
    ...{ name: 'name', author: 'author', mark: '@', date: 'timestamp', text: 'body', link: 'url' },
    counts: {
      ...{ '♥': 'engagements.favoriteCount', '↻': 'engagements.retweetCount' },
      ...{ '↩': 'engagements.replyCount', '◉': 'engagements.viewsCount' },
    },
  },
  'professionalnet.posts.search': {
    ...{ name: 'actor.actor_name', author: 'actor.actor_description', mark: '', date: 'postedAt' },
    ...{ text: 'commentary', link: 'share_url' },
    counts: {
      ...{ '♥': 'social_details.numLikes', '↻': 'social_details.numShares' },
      ...{ '↩': 'social_details.numComments' },
    },
  },
}

export function cardOf(id: string): Card | undefined {
  return cards[id as OperationId]
}

/** Cards for the posts of a search that go to a terminal; undefined elsewhere. */
export function cardsFor({ id }: { readonly id: string }, { color }: SharedFlags): Formatter | undefined {
  const card = cardOf(id)
  if (card === undefined || !process.stdout.isTTY) return undefined
  return createCards(card, { fields: undefined, ...terminalOptions(color) })
}

/** Formats posts as blocks of lines: name, handle and date, the whole text, counts, and the link. */
export function createCards(
  { name, author, mark, date, text, counts, link }: Card,
  options: FormatOptions,
): Formatter {
  const { width = 80 } = options
  const dim = (text: string): string => styled('dim', text, options)
  const card = (record: unknown): string => {
    const at = (path: string): string => lineAt(record, path, options)
    const whole = String(cellOf(record, text.split('.'), ', ') ?? '')
    const about = [at(author) && mark + at(author), at(date)].filter(Boolean).join(' · ')
    const numbers = Object.entries(counts).flatMap(([mark, path]) => {
      const value = valueAt(record, path.split('.'))
      return typeof value === 'number' ? [`${mark} ${value.toLocaleString('en')}`] : []
    })
    const lines = [
      `${styled('bold', at(name), options)} ${dim(about)}`,
      options.width === undefined ? whole : escapedForTerminal(whole),
      dim(numbers.join('   ')),
    ]
    // The link stays in one piece, so that it can be opened.
    return `${wrap(lines.join('\n'), Math.min(width, longestLine))}\n${dim(at(link))}\n\n`
  }
  return {
    isStyled: true,
    page: (records) => records.map(card).join(''),
  }
}
