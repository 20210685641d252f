import type { Operation } from '../../contract/operation.ts'

/** The part of a zod schema that is read here. */
interface Schema {
  readonly _zod: { readonly def: Definition; readonly traits: ReadonlySet<string> }
}

/** The kinds of schema that a response may consist of, as zod describes them. */
type Definition = { readonly checks?: readonly { _zod: { def: object } }[] } & (
  | { readonly type: 'string' | 'boolean' | 'unknown' }
  | { readonly type: 'number'; readonly format?: string }
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
 * Writes a module whose function tells whether a body, with the items of its list, has the documented shape. Throws if
 * a schema is of a kind, or has a check, that is not handled here.
 */
export function writeValidator({ id, response, list }: Operation): string {
  const names = new Set<string>(['body'])
  const { conditions, statements } = refusal(response.schema() as Schema, 'body')
  return `// Written by \`npm run validators\` from the schemas of ${id}.

/** Tells whether a body, with all its items, has the documented shape. */
export function accepts(body: any): boolean {
  ${[refuseIf(conditions), ...statements].join('\n')}
  return true
}
`

  function refusal(schema: Schema, value: string): Refusal {
    const { def } = schema._zod
    if (def.type !== 'number' && (def.checks ?? []).length > 0) throw new Error(`unknown check of ${value}`)
    switch (def.type) {
      case 'string':
      case 'boolean':
        return { conditions: [`typeof ${value} !== '${def.type}'`], statements: [] }
      case 'number':
        return { conditions: numberConditions(def, value), statements: [] }
      case 'array':
        return { conditions: [`!Array.isArray(${value})`], statements: itemStatements(def.element, value) }
      case 'object':
        if (def.catchall !== undefined) throw new Error(`${value} must accept unknown fields`)
        return {
          conditions: [`typeof ${value} !== 'object'`, `${value} === null`, `Array.isArray(${value})`],
          statements: fieldStatements(def.shape, value),
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

function numberConditions(def: Definition & { type: 'number' }, value: string): string[] {
  if (def.format !== undefined && def.format !== 'safeint') throw new Error(`unknown format ${def.format}`)
  const minimums = (def.checks ?? []).map(({ _zod }) => {
    const { check, value: minimum, inclusive } = _zod.def as Record<string, unknown>
    if (check !== 'greater_than' || inclusive !== true) throw new Error(`unknown check of ${value}`)
    return `${value} < ${String(minimum)}`
  })
  return [`!Number.${def.format === 'safeint' ? 'isSafeInteger' : 'isFinite'}(${value})`, ...minimums]
}

function onlyIf(condition: string, { conditions, statements }: Refusal): Refusal {
  if (statements.length === 0)
    return { conditions: [`(${condition} && (${conditions.join(' || ')}))`], statements }
  return { conditions: [], statements: [`if (${condition}) {`, refuseIf(conditions), ...statements, '}'] }
}

function refuseIf(conditions: readonly string[]): string {
  return conditions.length === 0 ? '' : `if (${conditions.join(' || ')}) return false`
}
