// Written by `npm run schemas` from src/contract/schemas.

import type { JsonSchema } from '../validate.ts'

export const request: JsonSchema = {
  type: 'object',
  properties: { url: { type: 'string', minLength: 1, maxLength: 2048 } },
  required: ['url'],
  additionalProperties: false,
}

export const response: JsonSchema = {
  type: 'object',
  properties: {
    requestId: { type: 'string' },
    company: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        name: { type: 'string' },
        universalName: { type: ['string', 'null'] },
        linkedinUrl: { type: ['string', 'null'] },
        description: { type: ['string', 'null'] },
        tagline: { type: ['string', 'null'] },
        websiteUrl: { type: ['string', 'null'] },
        industry: { type: ['string', 'null'] },
        foundedYear: { type: ['integer', 'null'] },
        followerCount: { type: 'integer', minimum: 0 },
        employeeCount: { type: 'integer', minimum: 0 },
        employeeCountRange: {
          type: ['object', 'null'],
          properties: {
            start: { type: 'integer', minimum: 0 },
            end: { type: ['integer', 'null'], minimum: 0 },
          },
          required: ['start', 'end'],
        },
        headquarter: {
          type: ['object', 'null'],
          properties: {
            country: { type: ['string', 'null'] },
            city: { type: ['string', 'null'] },
            geographicArea: { type: ['string', 'null'] },
            postalCode: { type: ['string', 'null'] },
            line1: { type: ['string', 'null'] },
            line2: { type: ['string', 'null'] },
            description: { type: ['string', 'null'] },
            headquarter: { type: 'boolean' },
          },
          required: [
            'country',
            'city',
            'geographicArea',
            'postalCode',
            'line1',
            'line2',
            'description',
            'headquarter',
          ],
        },
        locations: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              country: { type: ['string', 'null'] },
              city: { type: ['string', 'null'] },
              geographicArea: { type: ['string', 'null'] },
              postalCode: { type: ['string', 'null'] },
              line1: { type: ['string', 'null'] },
              line2: { type: ['string', 'null'] },
              description: { type: ['string', 'null'] },
              headquarter: { type: 'boolean' },
            },
            required: [
              'country',
              'city',
              'geographicArea',
              'postalCode',
              'line1',
              'line2',
              'description',
              'headquarter',
            ],
          },
        },
        specialities: { type: 'array', items: { type: 'string' } },
        logoUrl: { type: ['string', 'null'] },
      },
      required: [
        'id',
        'name',
        'universalName',
        'linkedinUrl',
        'description',
        'tagline',
        'websiteUrl',
        'industry',
        'foundedYear',
        'followerCount',
        'employeeCount',
        'employeeCountRange',
        'headquarter',
        'locations',
        'specialities',
        'logoUrl',
      ],
    },
  },
  required: ['requestId', 'company'],
}
