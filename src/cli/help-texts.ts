import type { Operation } from '../api/operation.ts'
import { type OperationId, operations } from '../api/operations.ts'
import { count } from '../lib/count.ts'
import { commandOf, kebab } from './flags.ts'

// At most 40 columns: the text is not wrapped.
export const exitCodeHelp = `
Exit codes:
  0    done
  1    file, network or local error
  2    wrong usage; nothing was sent
  3    key, scopes or permissions
  4    the service refused, or sent
       invalid data
  5    stopped by a budget
  6    outcome unknown: may have been
       charged or applied
  130  interrupted`

export const loginHelp = `
Commands of this user find the login, also
in cron. Programs do not: fromEnv() reads
SOCIAL_SEARCH_BASE_URL and
SOCIAL_SEARCH_API_KEY.`

export const budgetHelp = `
Periods are hour, day and month, in UTC.
Each profile has its own budget. --budget
of a command counts in addition.`

const profile = `--params '{"profileUrl":"https://professionalnet.example/in/mirarooksby"}'`
const post = `--params '{"postUrl":"https://professionalnet.example/posts/ID"}'`

/** Arguments of commands, for two examples in their help; others need none. */
const examples: { readonly [Id in OperationId]?: readonly [string, string] } = {
  'microblog.search': [
    'typescript --category Latest --lang en --limit 40',
    'typescript --all --budget 100 --out posts.jsonl',
  ],
  'professionalnet.posts.search': [
    '"developer tools" --sort-by recent --format csv --bom',
    '"developer tools" --max-pages 3 --budget 12',
  ],
  'professionalnet.company.get': [
    'https://professionalnet.example/company/tidyquery',
    'https://professionalnet.example/company/tidyquery --fields company.name,company.employeeCount',
  ],
  'professionalnet.person.posts': [profile, `${profile} --max-pages 2 --budget 20`],
  'professionalnet.person.comments': [profile, `${profile} --max-pages 2 --budget 20`],
  'professionalnet.posts.comments': [
    'https://professionalnet.example/posts/ID --max-comments 100 --budget 100',
    'https://professionalnet.example/posts/ID --ceiling 9 --budget 20 --fields authorName,text',
  ],
  'professionalnet.posts.reactions': [
    `${post} --budget 1000`,
    `${post} --ceiling 20 --budget 50 --out reactions.jsonl`,
  ],
  'professionalnet.industries.list': ['--q software --all', '--fields id,label --format csv'],
  'technews.search': [
    `--params '{"query":"typescript"}'`,
    `--params '{"query":"typescript"}' --fields id,title,url`,
  ],
  'mentions.list': ['--all --out mentions.jsonl', '--limit 5 --format json'],
  'mentions.get': ['men_764dbb8c410af7ff', 'men_764dbb8c410af7ff --format json'],
  'mentions.count': ['', `--params '{"state":"new"}'`],
  'mentions.setState': [
    `men_764dbb8c410af7ff --params '{"state":"seen"}'`,
    `men_764dbb8c410af7ff --params '{"state":"done"}' --json`,
  ],
  'listeners.list': ['--fields id,name', '--format json'],
  'listeners.get': ['lis_4f9f49b87aff8939', 'lis_4f9f49b87aff8939 --format json'],
  'feeds.list': ['', '--format json'],
  'feeds.get': ['svw_9a7036b0c3b2c3f9', 'svw_9a7036b0c3b2c3f9 --format json'],
  'organization.context': ['', '--format json'],
  'organization.usage': ['', '--format json'],
  openapi: ['> openapi.json', '--fields info.version'],
}

/** What a command does, with examples, for the top of its help. */
export function withExamples(text: string, ...commands: readonly string[]): string {
  const lines = commands.map((command) => `\n  social-search ${command.trim()}`)
  return `${text}\n\n${commands.length === 1 ? 'Example' : 'Examples'}:${lines.join('')}`
}

/** The first example of an operation. */
export function exampleCommand(id: string): string {
  return `social-search ${examplesOf(id)[0] ?? ''}`
}

export function examplesOf(id: string): string[] {
  return (examples[id as OperationId] ?? ['']).map((example) => `${commandOf(id)} ${example}`)
}

/** `list, get, count, set-state`. */
export function commandsOf(group: string): string {
  const names = operations.map(({ id }) => id.split('.').map(kebab))
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
