import type { OperationId } from '../api/operations.ts'

/** Arguments of commands, for their help; others need none. */
export const examples: { readonly [Id in OperationId]?: string } = {
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
