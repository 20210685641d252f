import type { Scope } from './operation.ts'

/** What an OAuth client may ask for (service description, part 5). `offline_access` brings a refresh token. */
export type OAuthScope = Scope | 'offline_access'

/** Path that stands for this API in a token's audience, below the API's origin. */
export const audiencePath = '/v1'
