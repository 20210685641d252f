/** Limits of one organization (service description, part 8.2). */
export const organizationLimits = {
  /** Requests that may be open at once, across all endpoints. */
  inFlight: 2,
  /** Requests that may arrive at one search surface in any {@link organizationLimits.windowMs}. */
  perMinute: 20,
  /** Length of the window that `perMinute` counts over, in milliseconds. */
  windowMs: 60_000,
} as const

/** Client timeout that the service recommends for its slow operations, in milliseconds (part 8.4). */
export const recommendedTimeoutMs = 90_000

/** Posts on a page of a microblog search: the most that `count` may ask for, and what comes where it is absent. */
export const microblogPageSize = 20

/** Comments, and so credits, of a call that sets no `maxComments`. */
export const defaultMaxComments = 100
