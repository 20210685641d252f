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

/** What each tool returns; short, since each tool of the list repeats it. */
export const resultSchema = { type: 'object', required: ['ok', 'credits'] }
