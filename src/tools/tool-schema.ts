import { type Issue, firstIssues } from '../contract/issues.ts'
import type { Operation } from '../contract/operation.ts'
import { type JsonSchema, validate } from '../contract/validate.ts'
import { allParamTexts } from './param-texts.ts'
import type { ToolJsonSchema, ToolSchema } from './types.ts'

/** Most pages of one call. */
export const maxPages = 10

/** More than the largest documented params need. */
const maxCharacters = 100_000

/** Issues that a model is told at once. */
const maxIssues = 10

const pages: ToolJsonSchema = {
  ...{ type: 'integer', minimum: 1, maximum: maxPages, default: 1, description: 'Pages to read.' },
}

const next: ToolJsonSchema = {
  ...{ type: 'string', maxLength: 100 },
  description: '`next` of the latest result, beside the same other arguments: reads on after it.',
}

/** The arguments of an operation's tool. Pages are reached by handles instead of the service's cursors and numbers. */
export function toolSchema(operation: Operation): ToolSchema {
  const { id, request, list, paging, pathId, method } = operation
  const isClosed = request.additionalProperties === false || (pathId !== undefined && method === 'GET')
  const plain: ToolJsonSchema = {
    type: 'object',
    properties: {
      ...(pathId !== undefined && { id: { type: 'string', description: `Starts with ${pathId.prefix}.` } }),
      ...described(request, allParamTexts[id] ?? {}, paging?.param),
      ...(paging !== undefined && { pages }),
      ...(list !== undefined && { next }),
    },
    required: [...(pathId === undefined ? [] : ['id']), ...(request.required ?? [])],
    // An empty schema allows the same as true, and the AI SDK keeps it.
    additionalProperties: isClosed ? false : {},
  }
  const standard: ToolSchema['~standard'] = {
    version: 1,
    vendor: 'social-search-sdk',
    validate(value) {
      const issues = inputIssues(plain, value)
      if (issues.length === 0) return { value: value as Record<string, unknown> }
      return {
        issues: issues.map(({ path, message }) => ({
          message: `${path || 'the input'} ${message}`,
          path: path.split('.'),
        })),
      }
    },
    jsonSchema: { input: () => copy(plain), output: () => copy(plain) },
  }
  // Not enumerable, so that the object is plain JSON Schema for everything that copies or prints it.
  return Object.defineProperty({ ...plain }, '~standard', { value: standard }) as ToolSchema
}

/** What is wrong with the input of a tool. */
export function inputIssues(schema: ToolJsonSchema, input: unknown): Issue[] {
  if (isTooLarge(input))
    return [{ path: '', message: `is too large; send at most ${maxCharacters} characters` }]
  return firstIssues(validate(schema as JsonSchema, input, maxIssues))
}

function described(
  { properties = {} }: JsonSchema,
  texts: Readonly<Record<string, string>>,
  left: string | undefined,
  prefix = '',
): Record<string, ToolJsonSchema> {
  const entries = Object.entries(properties).filter(
    ([name, { deprecated }]) => name !== left && deprecated !== true,
  )
  return Object.fromEntries(
    entries.map(([name, schema]) => {
      const path = prefix + name
      const parts = schema.properties && { properties: described(schema, texts, undefined, `${path}.`) }
      const text = texts[path]
      return [name, { ...schema, ...parts, ...(text !== undefined && { description: text }) }]
    }),
  )
}

function copy(schema: ToolJsonSchema): Record<string, unknown> {
  return structuredClone(schema) as Record<string, unknown>
}

/** Looks no further than it has to. */
function isTooLarge(input: unknown): boolean {
  let left = maxCharacters
  const open: unknown[] = [input]
  while (open.length > 0 && left >= 0) {
    const value = open.pop()
    left -= typeof value === 'string' ? value.length : 1
    if (typeof value !== 'object' || value === null) continue
    if (Array.isArray(value)) {
      if (value.length > left) return true
      open.push(...(value as unknown[]))
    } else
      for (const name in value) {
        left -= name.length
        if (left < 0) return true
        open.push((value as Record<string, unknown>)[name])
      }
  }
  return left < 0
}
