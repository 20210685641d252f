import { count } from './count.ts'
import { type Issue, got, maxIssues } from './issues.ts'

type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'

/** The part of JSON Schema (draft 2020-12, the dialect of OpenAPI 3.1) that describes requests and responses. */
export interface JsonSchema {
  /** Absent if every value is allowed. */
  readonly type?: JsonType | readonly [JsonType, 'null']
  /** `#`: the whole schema. */
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  /** False if other properties are refused. */
  readonly additionalProperties?: boolean
  readonly items?: JsonSchema
  readonly maxItems?: number
  readonly enum?: readonly string[]
  /** In Unicode code points. */
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  /** `int64`: an integer of 64 bits, as a bigint or as a number that holds it exactly. */
  readonly format?: string
  readonly default?: string | number
  readonly deprecated?: boolean
}

/** A schema prepared for `validate()`. Each has all fields in the same order, because engines are fastest with that. */
interface Rule {
  readonly schema: JsonSchema
  readonly type: JsonType | undefined
  /** The `typeof` of values that are valid without further checks; empty if there are bounds. */
  readonly plainType: string
  readonly isNullable: boolean
  readonly maxItems: number
  /** Names of the properties to check; undefined for a list. */
  readonly names: readonly string[] | undefined
  /** Rules of the properties, or of the items. */
  readonly parts: Rule[]
}

/** An object or list whose values are being checked. */
interface Level {
  readonly rule: Rule
  readonly value: object
  readonly size: number
  /** Number of its values that have been checked. */
  checked: number
}

/** Maximum nesting. Documented shapes have less; a circular value has more. */
const maxLevels = 1000

/**
 * Lists what is wrong with a value; the list is empty if the value is valid. Lengths count code points: the service
 * does not document its unit, and no unit gives a smaller count, so a refused text is too long in any unit.
 *
 * @param most Maximum number of issues; one more counts the rest.
 */
export function validate(schema: JsonSchema, value: unknown, most = maxIssues): Issue[] {
  const rule = ruleOf(schema, schema)
  const issues: Issue[] = []
  let others = 0
  const report = (message: string, ...name: string[]) => {
    if (issues.length < most) issues.push({ path: [...pathOf(levels), ...name].join('.'), message })
    else others++
  }
  // One loop with a stack is faster than recursion: a page holds hundreds of values.
  const levels: Level[] = [
    { rule: { ...rule, names: undefined, parts: [rule] }, value: [value], size: 1, checked: 0 },
  ]
  for (let level = levels[0]; level !== undefined; level = levels[levels.length - 1]) {
    const { names, parts, schema } = level.rule
    const at = level.checked++
    if (at === level.size) {
      levels.pop()
      if (names === undefined || schema.additionalProperties !== false) continue
      // Inherited ones too, since later code would read them.
      for (const name in level.value) if (!names.includes(name)) report('is not a known property', name)
      continue
    }
    const name = names === undefined ? at : (names[at] ?? '')
    const child = (level.value as Record<string | number, unknown>)[name]
    const rule = parts[names === undefined ? 0 : at]
    if (rule === undefined || (child === null && rule.isNullable)) continue
    if (typeof child === rule.plainType && (typeof child !== 'number' || Number.isFinite(child))) continue
    const { type } = rule
    const { length } = rule.parts
    if (type === 'array' && Array.isArray(child) && child.length <= rule.maxItems) {
      if (length > 0) levels.push({ rule, value: child, size: child.length, checked: 0 })
    } else if (
      type === 'object' &&
      typeof child === 'object' &&
      child !== null &&
      !Array.isArray(child) &&
      (length > 0 || isPlain(child))
    ) {
      if (levels.length > maxLevels) return [{ path: '', message: 'is nested too deeply, or in a circle' }]
      levels.push({ rule, value: child, size: length, checked: 0 })
    } else {
      const isOptional = typeof name === 'string' && schema.required?.includes(name) !== true
      const message = child === undefined && isOptional ? null : complaint(rule, child, levels.length > 1)
      if (message !== null) report(message)
    }
  }
  if (others > 0) issues.push({ path: '', message: `has ${count(others, 'further issue')}` })
  return issues
}

/** The path of the value checked last. */
function pathOf(levels: readonly Level[]): (string | number)[] {
  return levels.slice(1).map(({ rule, checked }) => rule.names?.[checked - 1] ?? checked - 1)
}

const rules = new WeakMap<JsonSchema, Rule>()

/** The rule of a schema; for a reference, the rule of the whole schema. */
function ruleOf(given: JsonSchema, root: JsonSchema): Rule {
  const schema = given.$ref === undefined ? given : root
  const known = rules.get(schema)
  if (known !== undefined) return known
  const { type: types, properties, items, maxItems = Infinity } = schema
  const isNullable = typeof types === 'object'
  const type = isNullable ? types[0] : types
  const { enum: values, maxLength, minimum, maximum } = schema
  const isPlain = ['string', 'boolean', 'number'].includes(type ?? '')
  const isBounded = (values ?? maxLength ?? minimum ?? maximum) !== undefined
  const names = properties && Object.keys(properties)
  const parts: Rule[] = []
  const rule: Rule = {
    schema,
    type,
    plainType: isPlain && !isBounded ? (type ?? '') : '',
    isNullable,
    maxItems,
    names,
    parts,
  }
  // Stored before its parts are built, since they may refer to it.
  rules.set(schema, rule)
  for (const part of Object.values(properties ?? (items && [items]) ?? [])) parts.push(ruleOf(part, root))
  return rule
}

/** Whether an object is a plain object whose JSON text contains all its properties. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  const isBase = prototype === null || Object.getPrototypeOf(prototype) === null
  return isBase && Object.getOwnPropertySymbols(value).length === 0
}

const typeNames = {
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  number: 'a number',
  integer: 'an integer',
}

/** Explains why a value is invalid; null if it is valid after all. */
function complaint({ schema, type }: Rule, value: unknown, isPart: boolean): string | null {
  if (type === undefined) return null
  if (value === undefined && isPart) return 'is required'
  const { enum: values, minLength = 0, maxLength = Infinity, maxItems = Infinity, format } = schema
  if (values !== undefined) {
    const isKnown = (values as readonly unknown[]).includes(value)
    return isKnown ? null : `must be one of ${values.join(', ')}, got ${got(value)}`
  }
  if (format === 'int64') {
    const fits =
      Number.isSafeInteger(value) || (typeof value === 'bigint' && BigInt.asIntN(64, value) === value)
    const form = 'an integer of 64 bits, as a bigint or as a number that holds it exactly'
    return fits ? null : `must be ${form}, got ${got(value)}`
  }
  if (type === 'string' && typeof value === 'string') {
    // Counting the code points of a huge text is slow; its length in UTF-16 units is enough.
    const length = value.length > maxLength * 2 ? value.length : Array.from(value).length
    if (length < minLength) return `must have at least ${count(minLength, 'character')}, got ${length}`
    return length > maxLength ? `must have at most ${count(maxLength, 'character')}, got ${length}` : null
  }
  if (type === 'array' && Array.isArray(value))
    return `must have at most ${count(maxItems, 'item')}, got ${value.length}`
  if (
    typeof value === 'number' &&
    (type === 'integer' ? Number.isInteger(value) : type === 'number' && Number.isFinite(value))
  ) {
    const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema
    if (value < minimum) return `must be at least ${minimum}, got ${value}`
    return value > maximum ? `must be at most ${maximum}, got ${value}` : null
  }
  return `must be ${typeNames[type]}, got ${got(value)}`
}
