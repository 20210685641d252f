// Written by `npm run schemas` from src/contract/schemas.

import type { JsonSchema } from '../validate.ts'

export const request: JsonSchema = {
  type: 'object',
  properties: {
    postUrl: { type: 'string', minLength: 1, maxLength: 2048 },
    maxComments: { type: 'integer', minimum: 100, maximum: 1000, default: 100 },
  },
  required: ['postUrl'],
  additionalProperties: false,
}

export const response: JsonSchema = {
  type: 'object',
  properties: {
    requestId: { type: 'string' },
    comments: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          profileUrl: { type: 'string' },
          authorName: { type: 'string' },
          authorHeadline: { type: 'string' },
          text: { type: 'string' },
          timestamp: { type: 'string' },
          permalink: { type: 'string' },
        },
        required: ['profileUrl', 'authorName', 'authorHeadline', 'text', 'timestamp', 'permalink'],
      },
    },
    meta: {
      type: 'object',
      properties: {
        returnedCount: { type: 'integer' },
        total: { type: 'integer' },
        creditsCharged: { type: 'integer' },
      },
      required: ['returnedCount', 'creditsCharged'],
    },
  },
  required: ['requestId', 'comments', 'meta'],
}
