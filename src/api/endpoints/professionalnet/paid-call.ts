/** Fields shared by the documented paid calls of the network. */
export const paidCall = {
  method: 'POST',
  scopes: ['search:read'],
  surface: 'professionalnet',
  /** That of a client, which the service recommends for its slow operations (service description, part 8.4). */
  timeoutMs: 90_000,
  errors: [400, 401, 429, 502, 503],
} as const
