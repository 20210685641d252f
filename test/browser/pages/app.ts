import { SocialSearch, isSocialSearchError } from 'social-search-sdk'

const violations: string[] = []
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  violations.push(`${violatedDirective} ${blockedURI}`),
)

const app = {
  SocialSearch,
  isSocialSearchError,
  violations,
  /** A further turn of the event loop: the one that a test itself sets off is exempt from the policy. */
  turn: (): Promise<void> => new Promise((resolve) => setTimeout(resolve)),
}

export type App = typeof app
Object.assign(globalThis, { app })
