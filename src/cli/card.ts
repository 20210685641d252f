import { shortNames } from '../api/main-fields.ts'
import type { OperationId } from '../api/operations.ts'
import { cellOf } from '../extensions/export/fields.ts'
import { valueAt } from '../lib/value-at.ts'
import { type FormatOptions, type Formatter, lineAt, styled, terminalOptions } from './formatter.ts'
import type { SharedFlags } from './flags.ts'
import { escapedForTerminal } from './terminal.ts'
import { longestLine, wrap } from './text-layout.ts'

/** The paths of what a card of a post shows, by their short names; undefined for records that are no posts. */
type Card = Readonly<Record<string, string>>

/** Numbers that a card shows, with their signs. */
const counts = { likes: '♥', reposts: '↻', replies: '↩', views: '◉' }

export function cardOf(id: string): Card | undefined {
  const names = shortNames[id as OperationId]
  return names && Object.fromEntries(Object.entries(names).map(([path, name]) => [name, path]))
}

/** Cards for the posts of a search that go to a terminal; undefined elsewhere. */
export function cardsFor({ id }: { readonly id: string }, { color }: SharedFlags): Formatter | undefined {
  const card = cardOf(id)
  if (card === undefined || !process.stdout.isTTY) return undefined
  return createCards(card, { fields: undefined, ...terminalOptions(color) })
}

/** Formats posts as blocks of lines: name, handle and date, the whole text, counts, and the link. */
export function createCards(card: Card, options: FormatOptions): Formatter {
  const { width = 80 } = options
  const dim = (text: string): string => styled('dim', text, options)
  const show = (record: unknown): string => {
    const at = (name: string): string => lineAt(record, card[name] ?? '', options)
    const whole = String(cellOf(record, (card['text'] ?? '').split('.'), ', ') ?? '')
    // The author is a handle where there is a name, too.
    const [title, about] = card['name']
      ? [at('name'), `@${at('author')}`]
      : [at('author'), at('about_author')]
    const numbers = Object.entries(counts).flatMap(([name, mark]) => {
      const value = valueAt(record, (card[name] ?? '').split('.'))
      return typeof value === 'number' ? [`${mark} ${value.toLocaleString('en')}`] : []
    })
    const lines = [
      `${styled('bold', title, options)} ${dim([about, at('time')].filter(Boolean).join(' · '))}`,
      options.width === undefined ? whole : escapedForTerminal(whole),
      dim(numbers.join('   ')),
    ]
    // The link stays in one piece, so that it can be opened.
    return `${wrap(lines.join('\n'), Math.min(width, longestLine))}\n${dim(at('url'))}\n\n`
  }
  return {
    isStyled: true,
    page: (records) => records.map(show).join(''),
  }
}
