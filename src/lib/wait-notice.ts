import { inBrowser } from './browser.ts'
import { dateIn } from './time.ts'

/** Milliseconds after which a silent program seems to hang. */
const longMs = 5000

/** Addresses of this machine, and hosts that are reserved for tests, such as that of a sandbox. */
const testUrl = /^http:|\.(example|invalid|test)(:\d+)?(\/|$)/

const reasons = {
  slot: 'the requests in flight of the organization are taken',
  pace: 'its surface has used up the requests of this minute',
  rate_limited: 'a 429 closed its surface',
  retry: 'its latest attempt failed',
  limiter: 'its limiter holds it',
}

/** Whether this process may still give its notice. */
export let isNoticeDue = true

/** Gives no notice in this process, whose output something else reads. */
export function skipNotice(): void {
  isNoticeDue = false
}

/**
 * Says once a process why a call without observers waits, if it waits for more than 5 seconds.
 *
 * @param wait Why it waits; null if its limiter does not tell.
 * @param queuedMs Milliseconds that it has been queued for.
 */
export function noticeWait(
  { operation, client }: { operation: { id: string }; client: { baseUrl: string } },
  wait: { reason: keyof typeof reasons; ms: number } | null,
  queuedMs = 0,
): void {
  const { reason, ms } = wait ?? { reason: 'limiter' as const, ms: Infinity }
  const until = dateIn(ms)
  const isLong = queuedMs >= longMs || (until !== null && ms > longMs)
  if (!isLong || !isNoticeDue || inBrowser() || testUrl.test(client.baseUrl)) return
  isNoticeDue = false
  console.info(
    `social-search-sdk: ${operation.id} waits ${until ? `until ${until.toISOString()}` : 'for an unknown time'}: ` +
      `${reasons[reason]}. Pass onWait or a logger to see every wait, or observers to silence this notice`,
  )
}
