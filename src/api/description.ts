import type { Operation } from './operation.ts'
import type { Schema } from './schema/schema.ts'
import { anyObject } from './schema/open.ts'
import type { OpenRecord } from './undocumented.ts'

const open: Schema<OpenRecord> = anyObject

/** GET /openapi.json (service description, parts 4.1 and 9). */
export const descriptionGet = {
  id: 'openapi',
  summary: "get the service's description of itself, with its credit rates",
  method: 'GET',
  path: '/openapi.json',
  // Which scope it needs, if any, is not documented.
  scopes: [],
  surface: null,
  price: { kind: 'free' },
  documented: false,
  request: open,
  response: open,
} as const satisfies Operation
