/**
 * The wait that the service asks for, in milliseconds; null if neither is usable. Header and body may differ, and
 * CORS hides the header from browsers: the larger one counts.
 */
export function announcedWait(headers: Headers, body: unknown, wallClock: number): number | null {
  const waits = [headerWait(headers, wallClock), bodyWait(body)].filter((wait) => wait !== null)
  return waits.length === 0 ? null : Math.max(...waits)
}

/** `retryAfter` under `error` or at the top level. */
function bodyWait(body: unknown): number | null {
  const { error, retryAfter } = (body ?? {}) as {
    error?: { retryAfter?: unknown } | null
    retryAfter?: unknown
  }
  const seconds = error?.retryAfter ?? retryAfter
  return typeof seconds === 'number' ? secondsToMs(seconds) : null
}

/** The longest of the waits that can be read. */
function headerWait(headers: Headers, wallClock: number): number | null {
  const dates = valuesOf(headers, 'date')
    .map((value) => httpDate(value))
    .filter((date) => date !== null)
  // Relative to the server's `Date`, since the local clock may be hours off.
  const now = dates.length === 0 ? wallClock : Math.min(...dates)
  const waits = valuesOf(headers, 'retry-after').map((value) => {
    if (/^\d+(\.\d+)?$/.test(value)) return secondsToMs(Number(value))
    const target = httpDate(value, 1000)
    return target === null ? null : Math.max(0, target - now)
  })
  return waits.reduce((longest, wait) => (wait === null ? longest : Math.max(longest ?? 0, wait)), null)
}

/** The values of a header that a proxy may have added once more: fetch joins them with commas, and dates have commas, too. */
function valuesOf(headers: Headers, name: string): string[] {
  const values = headers.get(name)?.match(/\s*(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,)?[^,]+/g)
  return (values ?? []).map((value) => value.trim())
}

/**
 * `Date.parse` alone also accepts `-5`, and reads old formats without a zone as local time.
 *
 * @param leapMs How much later than the second before it a leap second is, which `Date` does not know.
 */
function httpDate(value: string, leapMs = 0): number | null {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(value)) return null
  const common = value.replace(':60 ', ':59 ')
  const time = Date.parse(common.endsWith('GMT') ? common : `${common} GMT`)
  return Number.isNaN(time) ? null : time + (common === value ? 0 : leapMs)
}

function secondsToMs(seconds: number): number | null {
  return seconds >= 0 ? Math.min(Math.ceil(seconds) * 1000, Number.MAX_SAFE_INTEGER) : null
}
