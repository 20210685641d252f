import { check } from '../../api/schema/check.ts'
import { maxPages } from '../../api/schema/tool-input.ts'
import { type Issue, firstIssues, issuesText } from '../../api/issues.ts'
import { type JsonSchema, jsonSchemaOf } from '../../api/schema/json-schema.ts'
import type { Operation } from '../../api/operation.ts'
import type { Schema } from '../../api/schema/schema.ts'
import paramTexts from './param-texts.json' with { type: 'json' }
import type { ToolJsonSchema, ToolSchema } from './types.ts'
import { count } from '../../lib/count.ts'
import { isRecord } from '../../lib/json.ts'

/** The title of a tool, for people. */
export function titleOf({ summary }: Operation): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}`
}

/** What a tool does and costs, for the model that chooses it. */
export function describe(operation: Operation, confirmAbove: number): string {
  const { documented } = operation
  const open = documented || operation.method === 'GET' ? '' : ' Further params are not documented.'
  const isAsked = operation.price.kind !== 'free' && confirmAbove !== Infinity
  const ask = isAsked ? ` Calls above ${confirmAbove} need a person's approval.` : ''
  return `${titleOf(operation)}. ${priceText(operation)}${ask}${open}`
}

/** The price of a call, and what it may come to. */
function priceText({ price, paging, list = 'items' }: Operation): string {
  if (price.kind === 'free') return 'Free.'
  const each = count(price.credits, 'credit')
  if (price.kind === 'perRequest')
    return paging === undefined
      ? `Costs ${each} a call.`
      : `Costs ${each} a page, so at most ${price.credits * maxPages} with \`pages\` ${maxPages}.`
  const perItem = `Costs ${each} for each of the ${list}`
  return price.bound === null
    ? `${perItem}; the number is not known beforehand, so a person has to agree to each call.`
    : `${perItem}, so at most \`${price.bound.param}\` times ${price.credits}: ${price.credits * price.bound.default} unless you set it.`
}

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
      return {
        issues: issues.map((issue) => ({
          message: issuesText([issue], 'the input'),
          path: issue.path.split('.'),
        })),
      }
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

/**
 * Arguments as the schema spells them. Clients of models send `null` for an optional argument that the model left out, JSON
 * text for an object, a list or a number, and one element for a list of one. Everything else stays as it is, so that the
 * check refuses what is wrong.
 */
export function readArguments(schema: JsonSchema, input: unknown): unknown {
  // A tool without required arguments may be called without any.
  if (input === undefined || input === null || input === '') return schema.required?.length ? input : {}
  return read(schema, input)
}

function read(schema: JsonSchema, given: unknown): unknown {
  const value = typeof given === 'string' ? fromText(schema, given) : given
  if (schema.type === 'array' && schema.items !== undefined) {
    const { items } = schema
    if (Array.isArray(value)) return value.map((item: unknown) => read(items, item))
    // An element of the wrong type is refused, by its own name.
    return isRecord(value) || value === null ? value : [read(items, value)]
  }
  if (schema.type !== 'object' || !isRecord(value)) return value
  const { properties = {}, required = [] } = schema
  const entries = Object.entries(value).flatMap(([name, part]): [string, unknown][] => {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (known === undefined) return [[name, part]]
    return part === null && !required.includes(name) ? [] : [[name, read(known, part)]]
  })
  return Object.fromEntries(entries)
}

/** The value that a text spells, if the schema asks for its type and for no text. */
function fromText({ type }: JsonSchema, text: string): unknown {
  if (type === undefined || type === 'string') return text
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return text
  }
  const found = Array.isArray(value) ? 'array' : typeof value
  return found === (type === 'integer' ? 'number' : type) ? value : text
}
