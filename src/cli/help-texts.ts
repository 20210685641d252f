import type { Price } from '../api/operation.ts'
import { type OperationId, operations } from '../api/operations.ts'
import { commandOf, kebab } from './flags.ts'

// At most 40 columns: the text is not wrapped.
export const exitCodeHelp = `
Exit codes:
  0    done
  1    file, network or machine failed
  2    wrong usage; nothing was sent
  3    key, scopes or permissions
  4    refused, or an invalid answer
  5    stopped by a budget
  6    unknown: may be charged, or applied
  130  interrupted`

/** Arguments of commands, for their help; others need none. */
const examples: { readonly [Id in OperationId]?: string } = {
  'microblog.search': 'typescript --category Latest --lang en --limit 40',
  'professionalnet.posts.search': '"developer tools" --sort-by recent --format csv --bom',
  'professionalnet.company.get': 'https://professionalnet.example/company/tidyquery',
  'professionalnet.person.posts': `--params '{"profileUrl":"https://professionalnet.example/in/mirarooksby"}'`,
  'professionalnet.person.comments': `--params '{"profileUrl":"https://professionalnet.example/in/mirarooksby"}'`,
  'professionalnet.posts.comments':
    'https://professionalnet.example/posts/ID --max-comments 100 --budget 100',
  'professionalnet.posts.reactions': `--params '{"postUrl":"https://professionalnet.example/posts/ID"}'`,
  'professionalnet.industries.list': '--q software --all',
  'technews.search': `--params '{"query":"typescript"}' --fields id,title,url`,
  'mentions.list': '--all --out mentions.jsonl',
  'mentions.get': 'men_764dbb8c410af7ff --format json',
  'mentions.setState': `men_764dbb8c410af7ff --params '{"state":"seen"}'`,
  'listeners.list': '--fields id,name',
  'listeners.get': 'lis_4f9f49b87aff8939',
  'feeds.get': 'svw_9a7036b0c3b2c3f9',
  openapi: '> openapi.json',
}

/** The part of the help with an example. */
export function exampleHelp(command: string): string {
  return `\nExample:\n  social-search ${command.trim()}`
}

export function exampleOf(id: string): string {
  return exampleHelp(`${commandOf(id)} ${examples[id as OperationId] ?? ''}`)
}

/** `list, get, count, set-state`. */
export function commandsOf(group: string): string {
  const names = operations.map(({ id }) => id.split('.').map(kebab))
  return names
    .filter((name) => name.includes(group) && name.at(-1) !== group)
    .map((name) => name.slice(name.indexOf(group) + 1).join(' '))
    .join(', ')
}

export function priceOf(price: Price): string {
  if (price.kind === 'free') return 'free'
  return `${price.credits} credits ${price.kind === 'perItem' ? 'for each item' : 'a page'}`
}
