/** The bounds that are compared, each with the function that returns the tighter of two. */
export const tighterBound = {
  minLength: Math.max,
  maxLength: Math.min,
  minItems: Math.max,
  maxItems: Math.min,
  minimum: Math.max,
  maximum: Math.min,
  exclusiveMinimum: Math.max,
  exclusiveMaximum: Math.min,
}

export type Bound = keyof typeof tighterBound

/** The comparable part of a schema. */
export interface Shape {
  /** Allowed JSON types; null for all. */
  types: readonly string[] | null
  /** Allowed values other than null; null for all. */
  values: readonly unknown[] | null
  bounds: Readonly<Partial<Record<Bound, number>>>
  /** The values of `default`; several if parts of a schema contradict each other. */
  defaults: readonly unknown[]
  /** The schema of each property. */
  properties: ReadonlyMap<string, unknown>
  required: ReadonlySet<string>
  /** The names of the only allowed properties; null for all. */
  names: readonly string[] | null
  /** The schema of each item of an array; undefined for none. */
  items: unknown
  /** Keywords that cannot be compared, with their values. */
  unread: readonly (readonly [keyword: string, value: unknown])[]
}

/** The shape that accepts every value. */
export const anything: Shape = {
  types: null,
  values: null,
  bounds: {},
  defaults: [],
  properties: new Map(),
  required: new Set(),
  names: null,
  items: undefined,
  unread: [],
}

/** The names of the properties that a shape describes or requires. */
export function fieldsOf({ properties, required }: Shape): ReadonlySet<string> {
  return new Set([...properties.keys(), ...required])
}

/** Combines two shapes that apply to the same value. */
export function both(a: Shape, part: Partial<Shape>): Shape {
  const b = { ...anything, ...part }
  const properties = new Map(a.properties)
  for (const [name, schema] of b.properties) properties.set(name, allOf(properties.get(name), schema))
  const names = common(a.names, b.names)
  const allowed = new Set(names)
  // A closed part refuses the properties of the other part.
  for (const name of properties.keys()) if (names && !allowed.has(name)) properties.delete(name)
  return {
    types: commonTypes(a.types, b.types),
    values: common(a.values, b.values),
    bounds: tighter(a.bounds, b.bounds),
    defaults: [...new Set([...a.defaults, ...b.defaults])],
    properties,
    required: new Set([...a.required, ...b.required]),
    names,
    items: allOf(a.items, b.items),
    unread: [...a.unread, ...b.unread],
  }
}

function allOf(a: unknown, b: unknown): unknown {
  if (a === undefined || b === undefined) return a === undefined ? b : a
  return { allOf: [a, b] }
}

/** The entries of both lists; null stands for a list of everything. */
function common<T>(a: readonly T[] | null, b: readonly T[] | null): readonly T[] | null {
  const others = new Set(b)
  return a && b ? a.filter((each) => others.has(each)) : (a ?? b)
}

/** The types that two sets have in common; an integer is a number. */
export function commonTypes(a: Shape['types'], b: Shape['types']): Shape['types'] {
  const all = (types: Shape['types']) => types && [...types, ...(types.includes('number') ? ['integer'] : [])]
  return common(all(a), all(b))
}

function tighter(a: Shape['bounds'], b: Shape['bounds']): Shape['bounds'] {
  const bounds = { ...a }
  for (const [keyword, value] of Object.entries(b) as [Bound, number][])
    bounds[keyword] = tighterBound[keyword](value, bounds[keyword] ?? value)
  return bounds
}

/** Normalizes a shape, so that two ways to write the same do not differ. */
export function settled(shape: Shape): Shape {
  const isNumber = shape.types?.includes('number') ?? false
  const types = shape.types?.filter((type) => !isNumber || type !== 'integer')
  const isInteger = types?.includes('integer') ?? false
  return {
    ...shape,
    types: types ? [...new Set(types)].toSorted() : null,
    values: shape.values?.toSorted() ?? null,
    bounds: settledBounds(shape.bounds, isInteger),
  }
}

function settledBounds(given: Shape['bounds'], isInteger: boolean): Shape['bounds'] {
  let bounds = { ...given }
  const { exclusiveMinimum: above, exclusiveMaximum: below } = bounds
  if (isInteger) {
    bounds = tighter(bounds, {
      ...(above !== undefined && { minimum: Math.floor(above) + 1 }),
      ...(below !== undefined && { maximum: Math.ceil(below) - 1 }),
    })
    delete bounds.exclusiveMinimum
    delete bounds.exclusiveMaximum
  }
  // Every length is at least 0, and every exact integer within these bounds.
  if ((bounds.minLength ?? 1) <= 0) delete bounds.minLength
  if ((bounds.minItems ?? 1) <= 0) delete bounds.minItems
  if (isInteger && (bounds.minimum ?? 0) <= Number.MIN_SAFE_INTEGER) delete bounds.minimum
  if (isInteger && (bounds.maximum ?? 0) >= Number.MAX_SAFE_INTEGER) delete bounds.maximum
  return bounds
}
