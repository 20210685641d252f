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

function headerWait(headers: Headers, wallClock: number): number | null {
  const value = headers.get('retry-after')?.trim() ?? ''
  // A proxy may add a second header; fetch joins them with commas.
  if (/^\d+(\.\d+)?( *, *\d+(\.\d+)?)*$/.test(value))
    return secondsToMs(Math.max(...value.split(',').map(Number)))
  const target = httpDate(value)
  if (target === null) return null
  // Relative to the server's `Date`, since the local clock may be hours off.
  return Math.max(0, target - (httpDate(headers.get('date') ?? '') ?? wallClock))
}

/** `Date.parse` alone also accepts `-5`, and reads old formats without a zone as local time. */
function httpDate(value: string): number | null {
  if (!/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /.test(value)) return null
  const time = Date.parse(value.endsWith('GMT') ? value : `${value} GMT`)
  return Number.isNaN(time) ? null : time
}

function secondsToMs(seconds: number): number | null {
  return seconds >= 0 ? Math.min(Math.ceil(seconds) * 1000, Number.MAX_SAFE_INTEGER) : null
}
