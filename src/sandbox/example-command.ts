import { microblogSearch } from '../api/microblog.ts'
import type { Sandbox } from './types.ts'

/** A `curl` command that searches the sandbox. */
export function exampleCommand({ baseUrl, apiKey }: Pick<Sandbox, 'baseUrl' | 'apiKey'>): string {
  return `  curl ${baseUrl}${microblogSearch.path} \\
    -H 'Authorization: Bearer ${apiKey}' \\
    -H 'Content-Type: application/json' \\
    -d '{ "query": "typescript", "category": "Latest", "count": 3 }'`
}
