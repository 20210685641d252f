import type { Fault } from './case.ts'

/** What a user wants to know first. */
const forUsers = `## In short

| What happened | Was I charged? | Does the client retry? | What to do |
|---|---|---|---|
| \`InvalidRequestError\`, \`CreditBudgetError\`, \`QueueFullError\`, \`ConfigurationError\` | no, nothing was sent | no | change the call, or raise the budget |
| 400, 403, 404 | no | no | fix the \`issues\` or \`requiredScopes\`; after a 403, ask whether the key's member has lost a permission |
| 401 | no | once, if \`auth\` can refresh its token | replace the key |
| 429 with the service's error body | no | yes, after the announced wait | nothing; if it still fails, retry after \`retryAfter\` |
| 502 or 503 with the service's error body | no | yes, up to 3 attempts; never a PATCH after a 502 | retry later |
| 500 or 504 with the service's error body | no | only a GET, once | retry later |
| a 5xx without the service's error body, from a proxy | perhaps, if the call is paid | only a GET, up to 3 attempts | see below |
| no connection: DNS, refused, Deno without \`--allow-net\` | no | yes, up to 3 attempts | check \`baseUrl\` and the network |
| an untrusted certificate | no | no | check \`baseUrl\` and the network |
| a reset or a timeout after sending | perhaps, if the call is paid | only a GET, up to 3 attempts | see below |
| a redirect | perhaps, if the call is paid | no | check \`baseUrl\` |
| another 3xx, such as an unrequested 304: an \`ApiError\` | perhaps, if the call is paid | no | look for a cache in between, or your own \`If-None-Match\` |
| an invalid success: \`InvalidResponseError\` | yes, if the call is paid; its credits are \`uncertain\` if the body may come from a proxy | only a GET, once | use \`error.body\` |
| a walk failed at a page | as the error says, for that page only | as above | continue from \`error.next\` |

\`error.charged\` tells whether a call was charged: \`no\`, \`yes\`, or \`unknown\` for perhaps. Credits of unknown charges are in
\`client.credits.uncertain\`. Compare them with \`organization.usage()\` before you send the call again. With
\`retry: { ambiguous: true }\`, the client retries such calls, and may pay twice. A free call is never charged.
`

/** The catalogue as a page for readers. */
export function faultsPage(catalogue: readonly Fault[], seen: ReadonlyMap<number, string>): string {
  const groups = Map.groupBy(catalogue, ({ group }) => group)
  const tables = [...groups].map(([group, faults]) => {
    const rows = faults.map(({ id, name, expected }) => {
      const cells = [String(id), name, expected, seen.get(id) ?? '']
      return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
    })
    return `## ${group}\n\n| # | Fault | Expected result | Observed result |\n|---|---|---|---|\n${rows.join('\n')}\n`
  })
  return `# Faults

${forUsers}
## All faults

Every failure that \`test/faults\` simulates, with the expected and the observed result. \`npm test\` runs all of them and
fails if a result differs; \`npm run faults\` runs only them and writes this page. The number of a fault never changes; gaps
leave room for new ones.

Most faults run with three calls: a free GET, a metered POST of 2 credits, and a PATCH. \`GET ×3\` means that the server got
three requests. \`charged\` is from the error; \`spent\` and \`uncertain\` are from the ledger. Random waits are zero, or half of
their maximum if the result shows them.

${tables.join('\n')}`
}
