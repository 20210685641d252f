import type { Operation } from '../../contract/operation.ts'
import { notesOf } from '../../contract/schema.ts'

/** The part of a zod schema that is read here. */
interface Schema {
  readonly _zod: { readonly def: Definition; readonly traits: ReadonlySet<string> }
}

/** The kinds of schema that a request or a response may consist of, as zod describes them. */
type Definition = { readonly checks?: readonly { _zod: { def: object } }[] } & (
  | { readonly type: 'string' | 'boolean' | 'unknown' | 'never' }
  | { readonly type: 'number'; readonly format?: string }
  | { readonly type: 'enum'; readonly entries: Readonly<Record<string, string>> }
  | { readonly type: 'array'; readonly element: Schema }
  | { readonly type: 'object'; readonly shape: Readonly<Record<string, Schema>>; readonly catchall?: Schema }
  | { readonly type: 'nullable' | 'optional'; readonly innerType: Schema }
)

/** When a value is refused: if one of the conditions holds, or one of the statements returns false. */
interface Refusal {
  readonly conditions: readonly string[]
  readonly statements: readonly string[]
}

/**
 * Writes a module with two functions. They tell whether the params of an operation, and a body with the items of its
 * list, have the documented shape. Throws if a schema is of a kind, or has a check, that is not handled here.
 */
export function writeValidator({ id, request, response, list }: Operation): string {
  const ofRequest = statementsOf(request.schema() as Schema, 'params')
  const ofResponse = statementsOf(response.schema() as Schema, 'body', list)
  const code = `/** Tells whether params have the documented shape. */
export function acceptsRequest(params: any): boolean {
  ${ofRequest}
}

/** Tells whether a body, with all its items, has the documented shape. */
export function acceptsResponse(body: any): boolean {
  ${ofResponse}
}
`
  const imports = code.includes('isText(') ? "import { isText } from '../schema.ts'\n\n" : ''
  return `// Written by \`npm run validators\` from the schemas of ${id}.\n\n${imports}${code}`
}

/** The statements of a function that takes `root`. */
function statementsOf(schema: Schema, root: string, list?: Operation['list']): string {
  const names = new Set<string>([root])
  const { conditions, statements } = refusal(schema, root)
  return [refuseIf(conditions), ...statements, 'return true'].join('\n')

  function refusal(schema: Schema, value: string): Refusal {
    const { def } = schema._zod
    const checks = (def.checks ?? []).map(({ _zod }) => _zod.def as Record<string, unknown>)
    switch (def.type) {
      case 'string':
        return { conditions: [stringCondition(schema, checks, value)], statements: [] }
      case 'number':
        return { conditions: numberConditions(def, checks, value), statements: [] }
      case 'array':
        return {
          conditions: [`!Array.isArray(${value})`, ...checks.map((check) => sizeCondition(check, value))],
          statements: itemStatements(def.element, value),
        }
    }
    if (checks.length > 0) throw new Error(`unknown check of ${value}`)
    switch (def.type) {
      case 'boolean':
        return { conditions: [`typeof ${value} !== 'boolean'`], statements: [] }
      case 'enum': {
        const others = Object.values(def.entries).map((entry) => `${value} !== '${entry}'`)
        return { conditions: [`(${others.join(' && ')})`], statements: [] }
      }
      case 'object':
        return {
          conditions: [`typeof ${value} !== 'object'`, `${value} === null`, `Array.isArray(${value})`],
          statements: [
            ...fieldStatements(def.shape, value),
            ...keyStatements(Object.keys(def.shape), def.catchall, value),
          ],
        }
      case 'nullable':
        return onlyIf(`${value} !== null`, refusal(def.innerType, value))
      default:
        throw new Error(`unknown type ${def.type} of ${value}`)
    }
  }

  function itemStatements(element: Schema, array: string): string[] {
    const isList = element._zod.def.type === 'unknown' && array === list?.property
    const schema = isList ? (list.item?.schema() as Schema | undefined) : element
    if (schema === undefined) return []
    const [i, item] = [unusedName('i'), unusedName('item')]
    const { conditions, statements } = refusal(schema, item)
    // By index, as zod does it: an iterator could be overridden.
    return [
      `for (let ${i} = 0; ${i} < ${array}.length; ${i}++) {`,
      `const ${item} = ${array}[${i}]`,
      refuseIf(conditions),
      ...statements,
      '}',
    ]
  }

  function fieldStatements(shape: Readonly<Record<string, Schema>>, object: string): string[] {
    const fields = Object.entries(shape).map(([key, schema]) => ({ key, schema, name: unusedName(key) }))
    const pattern = fields.map(({ key, name }) => (key === name ? key : `${key}: ${name}`)).join(', ')
    const refusals = fields.map(({ key, schema, name }) => {
      const { def, traits } = schema._zod
      if (def.type !== 'optional') return refusal(schema, name)
      const isPresent = traits.has('$ZodExactOptional') ? `'${key}' in ${object}` : `${name} !== undefined`
      return onlyIf(isPresent, refusal(def.innerType, name))
    })
    return [
      `const { ${pattern} } = ${object}`,
      refuseIf(refusals.flatMap(({ conditions }) => conditions)),
      ...refusals.flatMap(({ statements }) => statements),
    ]
  }

  function unusedName(wanted: string): string {
    let name = wanted
    for (let i = 2; names.has(name); i++) name = `${wanted}${i}`
    names.add(name)
    return name
  }
}

/** Refuses unknown fields if the schema does: inherited ones too, as zod does. */
function keyStatements(keys: readonly string[], catchall: Schema | undefined, object: string): string[] {
  if (catchall === undefined) return []
  if (catchall._zod.def.type !== 'never') throw new Error(`unknown check of further fields of ${object}`)
  const known = keys.map((key) => `case '${key}':`).join('\n')
  return [`for (const key in ${object}) switch (key) {`, known, 'continue', 'default:', 'return false', '}']
}

/** A string has no check but that of `text()`, which leaves its bounds in notes. */
function stringCondition(schema: Schema, checks: readonly object[], value: string): string {
  if (checks.length === 0) return `typeof ${value} !== 'string'`
  const { minLength = 0, maxLength } = notesOf(schema) ?? {}
  if (checks.length > 1 || maxLength === undefined) throw new Error(`unknown check of ${value}`)
  return `!isText(${value}, ${minLength}, ${maxLength})`
}

function sizeCondition({ check, maximum }: Record<string, unknown>, value: string): string {
  if (check !== 'max_length') throw new Error(`unknown check of ${value}`)
  return `${value}.length > ${String(maximum)}`
}

function numberConditions(
  def: Definition & { type: 'number' },
  checks: readonly Record<string, unknown>[],
  value: string,
): string[] {
  if (def.format !== undefined && def.format !== 'safeint') throw new Error(`unknown format ${def.format}`)
  const bounds = checks.map(({ check, value: bound, inclusive }) => {
    if (inclusive === true && check === 'greater_than') return `${value} < ${String(bound)}`
    if (inclusive === true && check === 'less_than') return `${value} > ${String(bound)}`
    throw new Error(`unknown check of ${value}`)
  })
  return [`!Number.${def.format === 'safeint' ? 'isSafeInteger' : 'isFinite'}(${value})`, ...bounds]
}

function onlyIf(condition: string, { conditions, statements }: Refusal): Refusal {
  if (statements.length === 0)
    return { conditions: [`(${condition} && (${conditions.join(' || ')}))`], statements }
  return { conditions: [], statements: [`if (${condition}) {`, refuseIf(conditions), ...statements, '}'] }
}

function refuseIf(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `if (${conditions.join(' || ')}) return false`
}
