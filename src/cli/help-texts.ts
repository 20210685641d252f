import type { Operation } from '../api/operation.ts'
import { type OperationId, operations } from '../api/operations.ts'
import { count } from '../lib/count.ts'
import { commandOf } from './names.ts'

// At most 40 columns: the text is not wrapped.
export const loginHelp = `
Commands of this user find the login, also
in cron. Programs do not: fromEnv() reads
SOCIAL_SEARCH_BASE_URL and
SOCIAL_SEARCH_API_KEY.`

export const budgetHelp = `
Periods are hour, day and month, in UTC.
--budget 200/day counts in addition;
--budget 20 is of one run, and not shown.`

const profileUrl = `--params '{"profileUrl":"URL"}'`

/** Arguments for examples in the help of commands; others need none. No line is longer than 80 columns. */
const examples: { readonly [Id in OperationId]?: readonly string[] } = {
  'microblog.search': [
    'typescript --category Latest --lang en --limit 40',
    'typescript --all --budget 100 --out posts.db',
  ],
  'professionalnet.posts.search': [
    '"developer tools" --sort-by recent --format csv',
    '"developer tools" --max-pages 3 --budget 12',
  ],
  'professionalnet.company.get': ['URL', 'URL --fields company.name,company.employeeCount'],
  'professionalnet.person.posts': [profileUrl],
  'professionalnet.person.comments': [profileUrl],
  'professionalnet.posts.comments': [
    'URL --max-comments 100 --budget 100',
    'URL --budget 100 --fields authorName,text',
  ],
  'professionalnet.posts.reactions': [`--params '{"postUrl":"URL"}'`],
  'professionalnet.industries.list': ['--q software --all'],
  'technews.search': [`--params '{"query":"typescript"}'`],
  'mentions.list': ['--limit 5', '--all --out mentions.db'],
  'mentions.get': ['men_764dbb8c410af7ff'],
  'mentions.count': [`--params '{"state":"new"}'`],
  'mentions.setState': [`men_764d --params '{"state":"done"}'`],
  'listeners.get': ['lis_4f9f49b87aff8939'],
  'feeds.get': ['svw_9a7036b0c3b2c3f9'],
  openapi: ['> openapi.json'],
}

export function examplesOf(id: string): string[] {
  return (examples[id as OperationId] ?? ['']).map((example) => `${commandOf(id)} ${example}`)
}

/** `list, get, count, set-state`. */
export function commandsOf(group: string): string {
  const names = operations.map(({ id }) => commandOf(id).split(' '))
  return names
    .filter((name) => name.includes(group) && name.at(-1) !== group)
    .map((name) => name.slice(name.indexOf(group) + 1).join(' '))
    .join(', ')
}

/** `2 credits a page`, `1 credit per comment`. */
export function priceOf({ price, list = 'items', paging }: Operation): string {
  if (price.kind === 'free') return 'free'
  const credits = count(price.credits, 'credit')
  if (price.kind === 'perItem') return `${credits} per ${list.replace(/s$/, '')}`
  return paging === undefined ? credits : `${credits} a page`
}
