/** Limits of one organization (service description, part 8.2). */
export const organizationLimits = {
  /** Maximum number of open requests, across all endpoints. */
  inFlight: 2,
  /** Maximum number of requests that arrive at one search surface in any {@link organizationLimits.windowMs}. */
  perMinute: 20,
  /** Length of the window that `perMinute` counts over, in milliseconds. */
  windowMs: 60_000,
} as const

/** Client timeout that the service recommends for its slow operations, in milliseconds (part 8.4). */
export const recommendedTimeoutMs = 90_000

/** Maximum and default of `count`, the posts on a page of a microblog search. */
export const microblogPageSize = 20

/** Bounds and default of `maxComments`, and so the most credits of a call without it (part 8.3). */
export const maxComments = { least: 100, most: 1000, default: 100 } as const
