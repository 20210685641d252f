/** Header that tells which client a request belongs to. */
export const clientHeader = 'x-soak-client'

/** One request as the server saw it. */
export interface Visit {
  /** Of the call. */
  readonly id: string
  readonly charged: number
  /** Whether the client may send it again: it got the service's own error body. */
  readonly mayRepeat: boolean
}

export interface Report {
  readonly visits: readonly Visit[]
  /** Most requests in flight of one client. */
  readonly mostInFlight: number
}
