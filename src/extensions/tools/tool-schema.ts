import { check } from '../../api/schema/check.ts'
import { type Issue, firstIssues } from '../../api/issues.ts'
import { type JsonSchema, jsonSchemaOf } from '../../api/schema/json-schema.ts'
import type { Operation } from '../../api/operation.ts'
import type { Schema } from '../../api/schema/schema.ts'
import paramTexts from './param-texts.json' with { type: 'json' }
import { messageOf } from './failures.ts'
import { readArguments } from './read-arguments.ts'
import type { ToolJsonSchema, ToolSchema } from './types.ts'

/** Issues that a model is told at once. */
const maxIssues = 10

/** What the arguments mean that tools add to the params. */
const addedTexts = {
  query: 'Keywords.',
  url: "URL of a company's page, such as `author_url` of its posts.",
  summary: 'Counts and 5 samples, not all items; same price.',
  next: '`next` or `details` of a result; repeat the other arguments.',
}

/** The arguments of an operation's tool, for a model. */
export function toolSchema({ id, pathId }: Operation, input: Schema): ToolSchema {
  const schema = jsonSchemaOf(input)
  const texts = {
    ...(paramTexts as Readonly<Record<string, Readonly<Record<string, string>>>>)[id],
    ...(pathId && { id: `Starts with ${pathId.prefix}.` }),
    ...addedTexts,
  }
  const plain: ToolJsonSchema = {
    type: 'object',
    properties: described(schema, texts),
    required: schema.required ?? [],
    // An empty schema allows the same as true, and the AI SDK keeps it.
    additionalProperties: schema.additionalProperties ?? {},
  }
  const standard: ToolSchema['~standard'] = {
    version: 1,
    vendor: 'social-search-sdk',
    validate(given) {
      const value = readArguments(schema, given)
      const issues = inputIssues(input, value)
      if (issues.length === 0) return { value: value as Record<string, unknown> }
      return { issues: issues.map((issue) => ({ message: messageOf(issue), path: issue.path.split('.') })) }
    },
    jsonSchema: { input: () => structuredClone({ ...plain }), output: () => structuredClone({ ...plain }) },
  }
  // Not enumerable, so that the object is plain JSON Schema for everything that copies or prints it.
  return Object.defineProperty({ ...plain }, '~standard', { value: standard }) as ToolSchema
}

export function inputIssues(schema: Schema, input: unknown): Issue[] {
  return firstIssues(check(schema, input).slice(0, maxIssues))
}

function described(
  { properties = {}, required = [] }: JsonSchema,
  texts: Readonly<Record<string, string>>,
  prefix = '',
): Record<string, ToolJsonSchema> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const path = prefix + name
      const short = required.includes(name) ? schema : withoutLengths(schema)
      const parts = schema.properties && { properties: described(schema, texts, `${path}.`) }
      // Flags and some others have names that say what they do.
      const isClear = schema.type === 'boolean' || /^(minimum|exact|anyOf|noneOf)/.test(name)
      const text = isClear ? undefined : texts[path]
      return [name, { ...short, ...parts, ...(text !== undefined && { description: text }) }]
    }),
  )
}

/** Models rarely come near these bounds, and a refusal names them. */
function withoutLengths(schema: JsonSchema): JsonSchema {
  const isLength = (name: string) => /^(min|max)(Length|Items)$/.test(name)
  return JSON.parse(
    JSON.stringify(schema, (name, value: unknown) => (isLength(name) ? undefined : value)),
  ) as JsonSchema
}
