export { type OAuthClient, createOAuthClient } from './client.ts'
export type { AuthorizationRequest, PendingAuthorization } from './protocol.ts'
export type { OAuthSession } from './session.ts'
export type { ClientAuthentication, OAuthClientOptions, OAuthEndpoints } from './settings.ts'
export type { TokenSet } from './settings.ts'
export type { OAuthScope } from '../../api/operation.ts'
export {
  OAuthError,
  type OAuthStep,
  type ReauthorizationReason,
  ReauthorizationRequiredError,
  TokenStoreError,
} from '../../errors/index.ts'
