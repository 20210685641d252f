/** A rate limit would make the bench measure only waiting, so only the limit of two in flight stays. */
export const limits = { perMinute: false } as const

let organizations = 0

/** Clients of one organization share a queue, so each measurement uses a new organization. */
export function nextOrganization(): string {
  return `bench ${organizations++}`
}
