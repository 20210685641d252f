import type { Fault } from './case.ts'

/** What a user wants to know first. */
const forUsers = `## In short

| What happened | Was I charged? | Is it repeated? | What to do |
|---|---|---|---|
| \`InvalidRequestError\`, \`CreditBudgetError\`, \`QueueFullError\`, \`ConfigurationError\` | no, nothing was sent | no | change the call, or raise the budget |
| 400, 403, 404 | no | no | fix what \`issues\` or \`requiredScopes\` names; with a 403, ask whether the member behind the key has lost a permission |
| 401 | no | once, where \`auth\` can refresh its token | replace the key |
| 429 with the service's error body | no | yes, when the announced time is over | nothing; if it still fails, come back after \`retryAfter\` |
| 502 or 503 with the service's error body | no | yes, up to 3 attempts; a 502 not for a PATCH | try later |
| 500 or 504 with the service's error body | no | only a GET, once | try later |
| a 5xx without the service's error body: a proxy's | perhaps, if the call is paid | only a GET, up to 3 attempts | see below |
| no connection was made: DNS, refused, Deno without \`--allow-net\` | no | yes, up to 3 attempts | check \`baseUrl\` and the network |
| the certificate is not trusted | no | no | check \`baseUrl\` and the network |
| a reset or a timeout after sending | perhaps, if the call is paid | only a GET, up to 3 attempts | see below |
| a redirect | perhaps, if the call is paid | no | check \`baseUrl\` |
| another 3xx, such as a 304 that nobody asked for: an \`ApiError\` | perhaps, if the call is paid | no | look for a cache in between, or an \`If-None-Match\` of yours |
| a success that cannot be used: \`InvalidResponseError\` | yes, if the call is paid; its credits are \`uncertain\` where the body may be a proxy's | only a GET, once | the data is in \`error.body\` |
| a walk failed on the way | as the error says, for that page alone | as above | go on from \`error.next\` |

\`error.charged\` has the answer for each call: \`no\`, \`yes\`, or \`unknown\` for perhaps, whose credits stand in
\`client.credits.uncertain\`. Compare those with \`organization.usage()\` before you send the call again. \`retry: { ambiguous: true }\`
repeats such calls by itself, and may pay twice. A free call is never charged, whatever happens.
`

/** The catalogue as a page for readers. */
export function faultsPage(catalogue: readonly Fault[], seen: ReadonlyMap<number, string>): string {
  const groups = Map.groupBy(catalogue, ({ group }) => group)
  const tables = [...groups].map(([group, faults]) => {
    const rows = faults.map(({ id, name, expected }) => {
      const cells = [String(id), name, expected, seen.get(id) ?? '']
      return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
    })
    return `## ${group}\n\n| # | Fault | What must happen, and why | What was observed |\n|---|---|---|---|\n${rows.join('\n')}\n`
  })
  return `# Faults

${forUsers}
## What was tried

Everything that is made to go wrong in \`test/faults\`, and what was seen. \`npm test\` runs all of it and fails where anything else
is seen; \`npm run faults\` runs it alone and writes this page. A number stays with its fault for good; each group began with
room to grow, so numbers leave gaps.

Most faults are tried on three calls: a free GET, a metered POST of 2 credits, and a PATCH. \`GET ×3\` says that the server saw
three requests. \`charged\` is what the error says; \`spent\` and \`uncertain\` are what the ledger says. Random waits are set to
nothing, except where their length is shown: there they are half of the longest.

${tables.join('\n')}`
}
