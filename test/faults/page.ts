import type { Fault } from './case.ts'

/** What a user wants to know first. */
const forUsers = `## Summary

| What happened | Was I charged? | Does the client retry? | What to do |
|---|---|---|---|
| \`InvalidRequestError\`, \`CreditBudgetError\`, \`QueueFullError\`, \`ConfigurationError\` | no, nothing was sent | no | change the call, or raise the budget |
| 400, 403, 404 with the service's error body | no | no | fix what \`issues\` or \`requiredScopes\` names; after a 403, check the permissions of the member behind the key |
| 401 with the service's error body | no | once, if \`auth\` can refresh its token | replace the key |
| 429 with the service's error body | no | yes, after the announced time | nothing; if it still fails, retry after \`retryAfter\` |
| 502 or 503 with the service's error body | no | yes, up to 3 attempts; not a PATCH after a 502 | try later |
| 500 or 504 with the service's error body | no | only a GET, once | try later |
| any error status without the service's error body, from a proxy or a firewall | perhaps, if the call is paid | only a GET after a 429 or 5xx, up to 3 attempts | see below |
| no connection: DNS, refused, Deno without \`--allow-net\` | no | yes, up to 3 attempts | check \`baseUrl\` and the network |
| the certificate is not trusted | no | no | check \`baseUrl\` and the network |
| a reset or a timeout after sending | perhaps, if the call is paid | only a GET, up to 3 attempts | see below |
| a redirect | perhaps, if the call is paid | no | check \`baseUrl\` |
| another 3xx, such as an unexpected 304: an \`ApiError\` | perhaps, if the call is paid | no | look for a cache on the way, or an \`If-None-Match\` of yours |
| an unusable success: \`InvalidResponseError\` | yes, if the call is paid; its credits are \`uncertain\` if the body may be a proxy's | only a GET, once | use the data in \`error.body\` |
| a walk failed at a page | as the error says, for that page | as above | resume from \`error.next\` |

\`error.charged\` has the answer for each call: \`no\`, \`yes\`, or \`unknown\` for perhaps. Unknown credits count as
\`client.credits.uncertain\`. Compare them with \`organization.usage()\` before you send the call again. With
\`retry: { ambiguous: true }\` the client retries such calls, and you may pay twice. A free call is never charged.
`

/** The catalogue as a page for readers. */
export function faultsPage(catalogue: readonly Fault[], seen: ReadonlyMap<number, string>): string {
  const groups = Map.groupBy(catalogue, ({ group }) => group)
  const tables = [...groups].map(([group, faults]) => {
    const rows = faults.map(({ id, name, expected }) => {
      const cells = [String(id), name, expected, seen.get(id) ?? '']
      return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
    })
    return `## ${group}\n\n| # | Failure | Expected, and why | Observed |\n|---|---|---|---|\n${rows.join('\n')}\n`
  })
  return `# Simulated failures

This page lists every failure that \`test/faults\` simulates, with the expected and the observed result.

${forUsers}
## How they are simulated

\`npm test\` simulates all of them and fails if a result differs; \`npm test -- test/faults --update\` also writes this page. The number of a failure
never changes. The numbers have gaps, because each group started with room to grow.

Most failures are simulated for three calls: a free GET, a paid POST of 2 credits, and a PATCH. \`GET ×3\` means that the server
got three requests. \`charged\` is from the error; \`spent\` and \`uncertain\` are from the ledger. Random waits are zero, except
if the table shows their length: then they are half of the longest.

${tables.join('\n')}`
}
