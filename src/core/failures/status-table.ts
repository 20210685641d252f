import type { FailureKind } from './failure-table.ts'

/** Who has sent a response: a gateway is anything that is not the service; a proxy is one made with this package. */
export type Sender = 'service' | 'gateway' | 'proxy'

/** Kinds by status; 400 and 500 stand for all others. */
type Kinds = Readonly<Record<400 | 500, FailureKind> & Partial<Record<number, FailureKind>>>

/** What an error status means, by its sender. */
const kinds: Readonly<Record<Sender, Kinds>> = {
  service: {
    ...{ 401: 'unauthorized', 429: 'rate-limited', 502: 'upstream', 503: 'unavailable' },
    ...{ 400: 'refused', 500: 'server-error' },
  },
  gateway: { 401: 'gateway-401', 429: 'gateway-429', 400: 'final', 500: 'gateway-error' },
  proxy: { 401: 'unauthorized', 429: 'rate-limited', 400: 'refused', 500: 'refused' },
}

/** @param announced The wait that the response announces, in milliseconds. */
export function kindOfStatus(sender: Sender, status: number, announced: number | null): FailureKind {
  // A proxy has already retried, but may have skipped a long wait.
  const isOver = sender === 'proxy' && status === 429 && !announced
  const kind = isOver ? undefined : kinds[sender][status]
  return kind ?? kinds[sender][status < 500 ? 400 : 500]
}
