import type { Operation } from '../operation.ts'
import { undocumentedRead } from './undocumented.ts'

/** The service's description of itself (service description, part 9). */
export const descriptionGet = {
  ...undocumentedRead,
  id: 'openapi',
  summary: "get the service's description and credit rates",
  path: '/openapi.json',
  // Which scope it needs, if any, is not documented.
  scopes: [],
  // The document itself, without the id of a request.
  response: undocumentedRead.request,
} as const satisfies Operation
