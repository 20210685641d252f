/** The bounds that are compared, each with the function that returns the tighter of two. */
const bounds = {
  minLength: Math.max,
  maxLength: Math.min,
  minItems: Math.max,
  maxItems: Math.min,
  minimum: Math.max,
  maximum: Math.min,
  exclusiveMinimum: Math.max,
  exclusiveMaximum: Math.min,
}

export const boundKeywords = Object.keys(bounds) as (keyof typeof bounds)[]

/** The comparable part of a schema, with bounds by their keyword. An absent field allows everything. */
export type Shape = { readonly [Keyword in keyof typeof bounds]?: number } & {
  /** Allowed JSON types. */
  readonly types?: readonly string[]
  /** Allowed values other than null. */
  readonly values?: readonly unknown[]
  /** The values of `default`; several if parts of a schema contradict each other. */
  readonly defaults?: readonly unknown[]
  /** The schema of each property. */
  readonly properties?: ReadonlyMap<string, unknown>
  readonly required?: readonly string[]
  /** The names of the only allowed properties. */
  readonly names?: readonly string[]
  /** The schema of each item of an array. */
  readonly items?: unknown
  /** Keywords that cannot be compared, with their values. */
  readonly unread?: readonly (readonly [keyword: string, value: unknown])[]
}

/** Returns what two shapes that apply to the same value allow, for each field that both have. */
const combined: {
  [Field in keyof Shape]-?: (a: Required<Shape>[Field], b: Required<Shape>[Field]) => unknown
} = {
  ...bounds,
  types: commonTypes,
  values: common,
  defaults: union,
  properties: (a, b) =>
    new Map([
      ...a,
      ...[...b].map(([name, schema]) => [name, a.has(name) ? allOf(a.get(name), schema) : schema] as const),
    ]),
  required: union,
  names: common,
  items: allOf,
  unread: union,
}

/** Combines two shapes that apply to the same value. */
export function both(a: Shape, b: Shape): Shape {
  const shape: Record<string, unknown> = { ...a, ...b }
  for (const field of Object.keys(a) as (keyof Shape)[])
    if (Object.hasOwn(b, field)) shape[field] = combined[field](a[field] as never, b[field] as never)
  return shape
}

function allOf(...schemas: unknown[]): unknown {
  return { allOf: schemas }
}

function common<T>(a: readonly T[], b: readonly T[]): T[] {
  const others = new Set(b)
  return a.filter((each) => others.has(each))
}

function union<T>(a: readonly T[], b: readonly T[]): T[] {
  return [...new Set([...a, ...b])]
}

/** The types that two lists have in common; an integer is a number. */
export function commonTypes(a: readonly string[], b: readonly string[]): string[] {
  const all = (types: readonly string[]) => [...types, ...(types.includes('number') ? ['integer'] : [])]
  return common(all(a), all(b))
}

/** The names of the properties that a shape describes or requires. */
export function fieldsOf({ properties = new Map<string, unknown>(), required = [] }: Shape): string[] {
  return union([...properties.keys()], required)
}

/** Normalizes a shape, so that two ways to write the same do not differ. */
export function settled(given: Shape): Shape {
  const isNumber = given.types?.includes('number') === true
  const isInteger = given.types?.includes('integer') === true && !isNumber
  const shape: { -readonly [Field in keyof Shape]: Shape[Field] } = { ...given }
  if (shape.types)
    shape.types = union(shape.types, [])
      .filter((type) => !isNumber || type !== 'integer')
      .toSorted()
  if (shape.values) shape.values = shape.values.toSorted()
  if (shape.names) {
    // A closed part refuses the properties of the other parts.
    const allowed = new Set(shape.names)
    shape.properties = new Map([...(shape.properties ?? [])].filter(([name]) => allowed.has(name)))
  }
  const { exclusiveMinimum: above, exclusiveMaximum: below } = shape
  if (isInteger && above !== undefined) {
    shape.minimum = Math.max(shape.minimum ?? -Infinity, Math.floor(above) + 1)
    delete shape.exclusiveMinimum
  }
  if (isInteger && below !== undefined) {
    shape.maximum = Math.min(shape.maximum ?? Infinity, Math.ceil(below) - 1)
    delete shape.exclusiveMaximum
  }
  // Every length is at least 0, and every exact integer within these bounds.
  if ((shape.minLength ?? 1) <= 0) delete shape.minLength
  if ((shape.minItems ?? 1) <= 0) delete shape.minItems
  if (isInteger && (shape.minimum ?? 0) <= Number.MIN_SAFE_INTEGER) delete shape.minimum
  if (isInteger && (shape.maximum ?? 0) >= Number.MAX_SAFE_INTEGER) delete shape.maximum
  return shape
}
