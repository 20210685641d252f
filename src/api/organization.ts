import { undocumentedRead } from './undocumented.ts'
import type { Operation } from './operation.ts'

/** GET /organization/context (service description, parts 4.1 and 4.7). */
export const organizationContext = {
  ...undocumentedRead,
  id: 'organization.context',
  summary: 'get the brand and business context of the organization',
  path: '/organization/context',
  scopes: ['org:read'],
} as const satisfies Operation

/** GET /organization/usage (service description, parts 4.1 and 4.7). */
export const organizationUsage = {
  ...undocumentedRead,
  id: 'organization.usage',
  summary: 'get the credits used in the current billing period',
  path: '/organization/usage',
  scopes: ['org:read'],
} as const satisfies Operation
