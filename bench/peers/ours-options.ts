/** At twenty a minute, nothing but the wait would be measured; two in flight stay. */
export const limits = { perMinute: false } as const

let organizations = 0

/** Clients of one organization share a queue; each measured crowd gets a new organization. */
export function nextOrganization(): string {
  return `bench ${organizations++}`
}
