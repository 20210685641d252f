import { undocumentedRead } from './undocumented.ts'
import type { Operation } from '../operation.ts'

export const organizationContext = {
  ...undocumentedRead,
  id: 'organization.context',
  summary: 'get the brand and business context of the organization',
  path: '/organization/context',
  scopes: ['org:read'],
} as const satisfies Operation

export const organizationUsage = {
  ...undocumentedRead,
  id: 'organization.usage',
  summary: 'get the credits used in this billing period',
  path: '/organization/usage',
  scopes: ['org:read'],
} as const satisfies Operation
