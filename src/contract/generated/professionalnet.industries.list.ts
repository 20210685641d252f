// Written by `npm run schemas` from src/contract/schemas.

import type { JsonSchema } from '../validate.ts'

export const request: JsonSchema = {
  type: 'object',
  properties: {
    q: { type: 'string', minLength: 1, maxLength: 100 },
    page: { type: 'integer', minimum: 1, default: 1 },
  },
  additionalProperties: false,
}

export const response: JsonSchema = {
  type: 'object',
  properties: {
    requestId: { type: 'string' },
    industries: {
      type: 'array',
      items: {
        type: 'object',
        properties: { id: { type: 'integer' }, label: { type: 'string' }, hierarchy: { type: 'string' } },
        required: ['id', 'label', 'hierarchy'],
      },
    },
    meta: {
      type: 'object',
      properties: {
        total: { type: 'integer' },
        page: { type: 'integer' },
        pageCount: { type: 'integer' },
        pageSize: { type: 'integer' },
      },
      required: ['total', 'page', 'pageCount', 'pageSize'],
    },
  },
  required: ['requestId', 'industries', 'meta'],
}
