/** A permission that a credential carries. */
export type Scope =
  'mentions:read' | 'mentions:write' | 'listeners:read' | 'feeds:read' | 'org:read' | 'search:read'

/** Scopes that an OAuth client may request (service description, part 5). `offline_access` brings a refresh token. */
export type OAuthScope = Scope | 'offline_access'

/** Path of this API in a token's audience, below the API's origin. */
export const audiencePath = '/v1'
