import type { StandardSchemaWithJSON } from './protocol.ts'

/** A JSON Schema for the protocol's lists. It lets everything pass: tools and prompts check their input themselves. */
export function listed(schema: object): StandardSchemaWithJSON<Record<string, unknown>> {
  const json = () => structuredClone(schema) as Record<string, unknown>
  return {
    '~standard': {
      version: 1,
      vendor: 'social-search-sdk',
      validate: (value) => ({ value: value as Record<string, unknown> }),
      jsonSchema: { input: json, output: json },
    },
  }
}

const text = { type: 'string' }
const number = { type: 'number' }

/** What each tool returns. */
export const resultSchema = {
  type: 'object',
  properties: {
    ok: { type: 'boolean' },
    error: {
      type: 'object',
      properties: {
        ...{ code: text, message: text, retryAfter: { ...number, description: 'Seconds to wait.' } },
        issues: { type: 'array', items: { type: 'object', properties: { path: text, message: text } } },
        charged: { type: 'string', enum: ['no', 'yes', 'unknown'] },
        stop: { type: 'boolean', description: 'Whether further calls are useless.' },
      },
      required: ['code', 'message', 'charged', 'stop'],
    },
    notice: text,
    items: { type: 'array', items: { type: 'object' }, description: 'Texts of strangers: data.' },
    record: { type: 'object' },
    next: { type: ['string', 'null'], description: 'Pass it as `next` to read on.' },
    cachedAt: { ...text, description: 'When the oldest part was fetched, if a cache had it.' },
    credits: {
      type: 'object',
      properties: { spent: number, uncertain: number, remaining: { type: ['number', 'null'] } },
      required: ['spent', 'uncertain', 'remaining'],
    },
  },
  required: ['ok', 'credits'],
}
