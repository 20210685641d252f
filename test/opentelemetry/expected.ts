/** What the SDK of OpenTelemetry has exported, as lines of text without times. */
export interface Exported {
  /** The spans under the caller's, with their events. */
  readonly tree: string[]
  readonly metrics: string[]
}

/** What the scenario exports on Node. */
export const expected: Exported = {
  tree: `
a search INTERNAL
  microblog.search INTERNAL attempts=1 charged=yes credits.spent=2
    - attempt charged=yes credits.spent=2 http.response.status_code=200
    POST CLIENT
the same again INTERNAL
  microblog.search INTERNAL cached=true charged=no credits.saved=2
a retry INTERNAL
  microblog.search INTERNAL attempts=2 charged=yes credits.spent=2
    - attempt charged=no error.type=service_unavailable http.response.status_code=503
    - wait wait.reason=retry
    - attempt charged=yes credits.spent=2 http.response.status_code=200
    POST CLIENT ERROR
    POST CLIENT
a 429 INTERNAL
  microblog.search INTERNAL attempts=2 charged=yes credits.spent=2 paced=1
    - attempt charged=no error.type=rate_limited http.response.status_code=429
    - wait wait.reason=rate_limited
    - attempt charged=yes credits.spent=2 http.response.status_code=200 paced=1
    POST CLIENT ERROR
    POST CLIENT
a walk INTERNAL
  microblog.search INTERNAL attempts=1 charged=yes credits.spent=2
    - attempt charged=yes credits.spent=2 http.response.status_code=200
    POST CLIENT
  microblog.search INTERNAL attempts=1 charged=yes credits.spent=2
    - attempt charged=yes credits.spent=2 http.response.status_code=200
    POST CLIENT
  microblog.search INTERNAL attempts=1 charged=yes credits.spent=2
    - attempt charged=yes credits.spent=2 http.response.status_code=200
    POST CLIENT
three at a time INTERNAL
  microblog.search INTERNAL attempts=1 charged=yes credits.spent=2
    - attempt charged=yes credits.spent=2 http.response.status_code=200
    POST CLIENT
  microblog.search INTERNAL attempts=1 charged=yes credits.spent=2
    - attempt charged=yes credits.spent=2 http.response.status_code=200
    POST CLIENT
  microblog.search INTERNAL attempts=1 charged=yes credits.spent=2 queued=1
    - wait wait.reason=slot
    - attempt charged=yes credits.spent=2 http.response.status_code=200 queued=1
    POST CLIENT
an error INTERNAL
  organization.usage INTERNAL ERROR attempts=1 charged=no error.type=forbidden
    - attempt charged=no error.type=forbidden http.response.status_code=403
    - exception exception.type=PermissionDeniedError
    GET CLIENT ERROR
a lost answer INTERNAL
  microblog.search INTERNAL ERROR attempts=1 charged=unknown credits.uncertain=2 error.type=connection
    - attempt charged=unknown credits.uncertain=2 error.type=connection
    - exception exception.type=ConnectionError
    POST CLIENT ERROR
`
    .trim()
    .split('\n'),
  metrics: `
calls {call} microblog.search: 9
calls {call} microblog.search cached=true: 1
calls {call} organization.usage error.type=forbidden: 1
calls {call} microblog.search error.type=connection: 1
call.duration s microblog.search: 9
call.duration s microblog.search cached=true: 1
call.duration s organization.usage error.type=forbidden: 1
call.duration s microblog.search error.type=connection: 1
credits.spent {credit} microblog.search: 18
credits.spent {credit} organization.usage: 0
credits.uncertain {credit} microblog.search: 2
credits.uncertain {credit} organization.usage: 0
credits.saved {credit} microblog.search: 2
attempts {attempt} microblog.search http.response.status_code=200: 9
attempts {attempt} microblog.search error.type=service_unavailable http.response.status_code=503: 1
attempts {attempt} microblog.search error.type=rate_limited http.response.status_code=429: 1
attempts {attempt} organization.usage error.type=forbidden http.response.status_code=403: 1
attempts {attempt} microblog.search error.type=connection: 1
waits {wait} microblog.search wait.reason=retry: 1
waits {wait} microblog.search wait.reason=rate_limited: 1
waits {wait} microblog.search wait.reason=slot: 1
queued s microblog.search: 12
queued s organization.usage: 1
paced s microblog.search: 12
paced s organization.usage: 1
`
    .trim()
    .split('\n'),
}

/** The same on other runtimes, whose requests have no spans. */
export const expectedWithoutUndici: Exported = {
  ...expected,
  tree: expected.tree.filter((line) => !line.includes(' CLIENT')),
}
