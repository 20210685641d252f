/** Limits of one organization (service description, part 8.2). */
export const organizationLimits = {
  /** Maximum number of open requests, across all endpoints. */
  inFlight: 2,
  /** Maximum number of requests that arrive at one search surface in any {@link organizationLimits.windowMs}. */
  perMinute: 20,
  /** Length of the window that `perMinute` counts over, in milliseconds. */
  windowMs: 60_000,
} as const
