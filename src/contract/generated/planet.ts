// Written by `npm run schemas` from src/contract/schemas.

import type { JsonSchema } from '../validate.ts'

export const planet: JsonSchema = {
  type: 'object',
  properties: {
    id: { type: 'integer', format: 'int64' },
    name: { type: 'string' },
    description: { type: 'string' },
    type: { type: 'string' },
    habitabilityIndex: { type: 'number' },
    physicalProperties: {
      type: 'object',
      properties: {
        mass: { type: 'number' },
        radius: { type: 'number' },
        gravity: { type: 'number' },
        temperature: {
          type: 'object',
          properties: {
            min: { type: 'number' },
            max: { type: 'number' },
            average: { type: 'number' },
            temperatureMetric1: { type: 'number' },
            temperatureMetric2: { type: 'number' },
          },
        },
        measurement1: { type: 'number' },
        measurement2: { type: 'number' },
      },
    },
    atmosphere: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          compound: { type: 'string' },
          percentage: { type: 'number' },
          atmosphericData1: { type: 'string' },
          atmosphericData2: { type: 'string' },
        },
      },
    },
    discoveredAt: { type: 'string' },
    image: { type: 'string' },
    satellites: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          id: { type: 'integer', format: 'int64' },
          name: { type: 'string' },
          description: { type: 'string' },
          diameter: { type: 'number' },
          type: { type: 'string' },
          orbit: {
            type: 'object',
            properties: {
              planet: { $ref: '#' },
              orbitalPeriod: { type: 'number' },
              distance: { type: 'number' },
            },
          },
        },
      },
    },
    creator: {
      type: 'object',
      properties: { id: { type: 'integer', format: 'int64' }, name: { type: 'string' } },
    },
    tags: { type: 'array', items: { type: 'string' } },
    lastUpdated: { type: 'string' },
    successCallbackUrl: { type: 'string' },
    failureCallbackUrl: { type: 'string' },
  },
}
