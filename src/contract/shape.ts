/** The bounds that are compared. */
export const boundKeywords = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
] as const

export type Bound = (typeof boundKeywords)[number]

/** The comparable part of a schema. */
export interface Shape {
  /** Allowed JSON types; null for all. */
  types: readonly string[] | null
  /** Allowed values, each as JSON; null for all. */
  values: readonly string[] | null
  bounds: Readonly<Partial<Record<Bound, number>>>
  /** The values of `default`, each as JSON; several if parts of a schema contradict each other. */
  defaults: readonly string[]
  /** Schemas of each property; a value must fit all of them. */
  properties: ReadonlyMap<string, readonly unknown[]>
  required: ReadonlySet<string>
  /** The names of the only allowed properties; null for all. */
  names: ReadonlySet<string> | null
  /** Schemas of each item of an array; an item must fit all of them. */
  items: readonly unknown[]
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
  items: [],
  unread: [],
}

/** The names of the properties that a shape describes or requires. */
export function fieldsOf({ properties, required }: Shape): ReadonlySet<string> {
  return new Set([...properties.keys(), ...required])
}

/** Combines two shapes that apply to the same value. */
export function both(a: Shape, b: Shape): Shape {
  const [one, other] = [a.names, b.names]
  const names = one && other ? new Set([...one].filter((name) => other.has(name))) : (one ?? other)
  const properties = new Map<string, readonly unknown[]>()
  // A closed part refuses the properties of the other part.
  for (const [name, schemas] of [...a.properties, ...b.properties])
    if (names?.has(name) ?? true) properties.set(name, [...(properties.get(name) ?? []), ...schemas])
  return {
    types: commonTypes(a.types, b.types),
    values:
      a.values && b.values ? a.values.filter((value) => b.values?.includes(value)) : (a.values ?? b.values),
    bounds: tighter(a.bounds, b.bounds),
    defaults: [...new Set([...a.defaults, ...b.defaults])],
    properties,
    required: new Set([...a.required, ...b.required]),
    names,
    items: [...a.items, ...b.items],
    unread: [...a.unread, ...b.unread],
  }
}

/** The types that two sets have in common; an integer is a number. */
export function commonTypes(a: Shape['types'], b: Shape['types']): Shape['types'] {
  if (a === null || b === null) return a ?? b
  const within = (types: readonly string[]) => (type: string) =>
    types.includes(type) || (type === 'integer' && types.includes('number'))
  return [...new Set([...a.filter(within(b)), ...b.filter(within(a))])]
}

function tighter(a: Shape['bounds'], b: Shape['bounds']): Shape['bounds'] {
  const bounds = { ...a }
  for (const [keyword, value] of Object.entries(b) as [Bound, number][]) {
    const choose = /max/i.test(keyword) ? Math.min : Math.max
    bounds[keyword] = choose(value, bounds[keyword] ?? value)
  }
  return bounds
}
