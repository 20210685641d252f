import fc from 'fast-check'

type Holder = Record<PropertyKey, unknown>

/** What a field may hold by mistake, made anew each time: later changes may change it too. */
const oddValues = (): unknown[] => [
  ...[undefined, null, true, '', '1', 'x', Symbol('x'), 1n, () => 'x'],
  ...[NaN, Infinity, -Infinity, 0, -0, 1, -1, 0.5, 2 ** 53, -(2 ** 53), 2 ** 53 - 1],
  ...[new Number(1), new String('x'), new Boolean(true), new Date(0), new Map(), /x/],
  ...[[], {}, [undefined], [null], ['x'], [1], [[]], [{}], Object.create(null), Object.create([])],
]

const define = (holder: Holder, key: PropertyKey, property: PropertyDescriptor) =>
  Reflect.defineProperty(holder, key, { configurable: true, enumerable: true, ...property })

/** Ways to change the field of an object or the item of an array, besides another value. */
const changes: ((holder: Holder, key: string) => void)[] = [
  (holder, key) => Reflect.deleteProperty(holder, key),
  (holder, key) => define(holder, key, { get: () => undefined }),
  (holder, key) => {
    const value = holder[key]
    define(holder, key, { get: () => value })
  },
  (holder, key) => define(holder, key, { enumerable: false, value: holder[key] }),
  (holder) => define(holder, 'undocumented', { value: 1 }),
  (holder) => define(holder, 'undocumented', { value: undefined }),
  (holder) => define(holder, 'undocumented', { enumerable: false, value: 1 }),
  (holder) => Object.setPrototypeOf(holder, { undocumented: 1 }),
  (holder) => define(holder, Symbol('x'), { value: 1 }),
  (holder) => define(holder, '__proto__', { value: { requestId: 'x' } }),
  (holder, key) => {
    // Inherited, where it is not an own field.
    const value = holder[key]
    Reflect.deleteProperty(holder, key)
    Object.setPrototypeOf(holder, { ...(Object.getPrototypeOf(holder) as object), [key]: value })
  },
  (holder, key) => define(holder, key, { value: Object.create(Object(holder[key]) as object) }),
  (holder, key) => define(holder, key, { value: { ...(holder[key] as object) } }),
  (holder, key) => define(holder, key, { value: [holder[key]] }),
  (holder, key) => define(holder, key, { value: Object.assign([], holder[key]) }),
  (holder, key) => define(holder, key, { value: Object.assign(Object.create(null) as object, holder[key]) }),
  (holder, key) =>
    define(holder, key, { value: Object.assign(Object.create(Date.prototype) as object, holder[key]) }),
  (holder, key) => {
    // An instance whose fields are getters of its class, and so neither own nor enumerable.
    const fields = Object.getOwnPropertyDescriptors(Object(holder[key]) as object)
    const getters = Object.entries(fields).map(([name, { value }]) => [name, { get: () => value as unknown }])
    const prototype = Object.defineProperties({}, Object.fromEntries(getters) as PropertyDescriptorMap)
    define(holder, key, { value: Object.create(prototype) })
  },
]

/** Values with one to three changes somewhere in them: some still fit their shape, most do not. */
export function mutated(valid: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const change = fc.oneof(
    fc.constantFrom(...changes),
    fc
      .nat(oddValues().length - 1)
      .map((i) => (holder: Holder, key: string) => define(holder, key, { value: oddValues()[i] })),
  )
  const steps = fc.array(fc.tuple(fc.nat(), change), { minLength: 1, maxLength: 3 })
  return fc.tuple(valid, steps).map(([value, changes]) => {
    const root = { body: structuredClone(value) }
    for (const [place, apply] of changes) {
      const places = placesIn(root)
      const chosen = places[place % places.length]
      if (chosen !== undefined) apply(...chosen)
    }
    return root.body
  })
}

/** Every field and item, as its holder and its key. */
function placesIn(holder: object): [Holder, string][] {
  return Object.entries(holder).flatMap(([key, value]) => [
    [holder as Holder, key] as [Holder, string],
    ...(typeof value === 'object' && value !== null ? placesIn(value as object) : []),
  ])
}
