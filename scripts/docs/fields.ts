import type { JsonSchema } from '../../src/api/schema/json-schema.ts'
import { filterGroups } from '../../src/cli/command-flags.ts'
import type { Documented } from './declarations.ts'
import { code, eachOf, sentence, table, uncapitalized } from './words.ts'

/** A table of all fields of an object, including those of nested objects. */
export function fieldTable(schema: JsonSchema, docs: Documented, absence: 'required' | 'optional'): string {
  return table(['Field', 'Type', 'Meaning'], rows(schema, docs, ''))

  function rows(
    { properties = {}, required = [] }: JsonSchema,
    docs: Documented,
    prefix: string,
  ): string[][] {
    const fields = docs.fields()
    return Object.entries(properties).flatMap(([name, given]) => {
      const path = `${prefix}${name}`
      const doc = fields.get(name)
      if (doc === undefined) throw new Error(`the declarations do not have the field ${path}`)
      const { schema } = nullable(given)
      const isRequired = required.includes(name)
      const mark = isRequired === (absence === 'required') ? `, ${absence}` : ''
      const inList = schema.items && nullable(schema.items).schema
      const text = given.$ref ? '' : doc.text || eachOf(doc.text)
      const group = path.startsWith('filters.') ? filterGroups[name] : undefined
      return [
        ...(group === undefined ? [] : [[`**${group}**`, '', '']]),
        [code(path), `${typeText(given)}${mark}`, meaning(path, { ...doc, text }, schema)],
        ...rows(inList ?? schema, doc, inList ? `${path}[].` : `${path}.`),
      ]
    })
  }
}

/** What each param of an operation means, by its path: for tools of language models, whose schemas have the bounds. */
export function paramTexts(
  { properties = {} }: JsonSchema,
  docs: Documented,
  prefix = '',
): Record<string, string> {
  const fields = docs.fields()
  return Object.assign(
    {},
    ...Object.entries(properties).map(([name, schema]) => {
      const path = `${prefix}${name}`
      const doc = fields.get(name)
      if (doc === undefined) throw new Error(`the declarations do not have the field ${path}`)
      const text = meaning(path, doc, schema)
      return { ...(text !== '' && { [path]: text }), ...paramTexts(schema, doc, `${path}.`) }
    }),
  ) as Record<string, string>
}

/** A type, its bounds and its default: `integer, 1 to 20, default 20`. */
function typeText(given: JsonSchema): string {
  if (given.$ref === '#') return 'object of the same shape as the whole'
  const { schema, isNullable } = nullable(given)
  const { items, default: value } = schema
  const name = items
    ? `${String(nullable(items).schema.type)}[]`
    : schema.enum
      ? `one of ${schema.enum.map(code).join(', ')}`
      : `${String(schema.type)}${schema.format === 'int64' ? ' of 64 bits' : ''}`
  const inItems = items && boundsText(items)
  const bounds =
    schema.maxItems === undefined
      ? boundsText(schema)
      : `up to ${count(schema.maxItems)} items${inItems ? ` of ${inItems}` : ''}`
  return [
    `${name}${isNullable ? ' or null' : ''}`,
    ...(bounds ? [bounds] : []),
    ...(value === undefined ? [] : [`default ${shown(value)}`]),
  ].join(', ')
}

function boundsText({ minLength, maxLength, minimum, maximum, maxItems, items }: JsonSchema): string | null {
  const inItems = items && boundsText(items)
  if (maxItems !== undefined) return `at most ${count(maxItems)}${inItems ? ` of ${inItems}` : ''}`
  const length = range(minLength, maxLength)
  return length === null ? range(minimum, maximum) : `${length} characters`
}

function range(min: number | undefined, max: number | undefined): string | null {
  if (min !== undefined && max !== undefined) return `${count(min)} to ${count(max)}`
  if (min !== undefined) return `at least ${count(min)}`
  return max === undefined ? null : `at most ${count(max)}`
}

/**
 * The docstring of a field, without the bounds that its type column shows. Docstrings repeat bounds for editors; a
 * bound that the schema does not have is an error.
 */
function meaning(path: string, { text, deprecated }: Documented, schema: JsonSchema): string {
  const said = [
    boundsText(schema),
    schema.default === undefined ? null : `the service's default is ${shown(schema.default)}`,
  ]
  const rest = said.reduce<string>((text, phrase) => (phrase === null ? text : without(text, phrase)), text)
  if (/\b(at most|at least|\d to|default is) \S*\d/.test(rest))
    throw new Error(`the docstring of ${path} has bounds or defaults that its schema does not have: ${text}`)
  return [sentence(rest), ...(deprecated === null ? [] : [`Deprecated: ${uncapitalized(deprecated)}`])]
    .filter(Boolean)
    .join(' ')
}

/** Removes a phrase that punctuation separates from the rest of the text. */
function without(text: string, phrase: string): string {
  const at = text.toLowerCase().indexOf(phrase.toLowerCase())
  const [before, after] = [text.slice(0, at), text.slice(at + phrase.length)]
  if (at < 0 || !/(^|[,;:.] )$/.test(before) || !/^([,;.]|$)/.test(after)) return text
  return before === '' ? after.replace(/^[,;.] ?/, '') : `${before.replace(/[,;:.] $/, '')}${after}`
}

function nullable(schema: JsonSchema): { schema: JsonSchema; isNullable: boolean } {
  const { type } = schema
  return typeof type === 'object'
    ? { schema: { ...schema, type: type[0] }, isNullable: true }
    : { schema, isNullable: false }
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}

function shown(value: string | number): string {
  return typeof value === 'number' ? count(value) : code(value)
}
