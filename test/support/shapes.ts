import fc from './chance.ts'

/** A documented field: what it may hold, and single values that it must not. */
export interface Shape {
  valid: fc.Arbitrary<unknown>
  /** Each with the path below the field at which it is to be refused. */
  violations: { path: (string | number)[]; value: unknown }[]
  optional?: boolean
}

const here = (...values: unknown[]) => values.map((value) => ({ path: [], value }))
const sampleOf = (values: fc.Arbitrary<unknown>) => fc.sample(values, { numRuns: 1, seed: 1 })[0]
const unit = fc.constantFrom('x', 'é', '日', '😀', ' ')

export function text(min: number, max: number): Shape {
  const tooShort = min > 0 ? [''] : []
  return {
    valid: fc.oneof(
      { weight: 4, arbitrary: fc.string({ unit, minLength: min, maxLength: max }) },
      { weight: 1, arbitrary: fc.constantFrom('x'.repeat(max), '😀'.repeat(max)) },
    ),
    violations: here(...tooShort, 'x'.repeat(max + 1), '😀'.repeat(max + 1), 5, null, {}, ['x']),
  }
}

export const anyText: Shape = { valid: fc.string(), violations: here(5, null, {}, [], true) }
export const flag: Shape = { valid: fc.boolean(), violations: here('true', 0, null) }
export const number: Shape = {
  valid: fc.double({ noNaN: true, noDefaultInfinity: true }),
  violations: here('1', null, {}),
}

export function whole(min: number, max?: number): Shape {
  return {
    valid: fc.integer({ min, max: max ?? 2 ** 31 }),
    violations: here(min - 1, min + 0.5, '1', null, ...(max === undefined ? [] : [max + 1])),
  }
}

export const anyWhole: Shape = { valid: fc.integer(), violations: here(0.5, '1', null) }

/** An integer of 64 bits, as it comes when no digit is lost. */
export const int64: Shape = {
  valid: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  violations: here(2n ** 63n, 2 ** 53, 0.5, '1', null),
}

export const oneOf = (...values: string[]): Shape => ({
  valid: fc.constantFrom(...values),
  violations: here('other', 5, null, `${values[0]}!`),
})

export function list(item: Shape, maxItems = Infinity): Shape {
  const sample = sampleOf(item.valid)
  const samples = (length: number) => Array.from({ length }, () => sample)
  const some = fc.array(item.valid, { maxLength: Math.min(maxItems, 4) })
  const tooMany = maxItems === Infinity ? [] : here(samples(maxItems + 1))
  return {
    valid: maxItems === Infinity ? some : fc.oneof(some, fc.constant(samples(maxItems))),
    violations: [
      ...[...here('x', 5, null, {}), ...tooMany],
      ...item.violations.map(({ path, value }) => ({
        path: [1, ...path],
        value: [sample, wrap(path, value, sample)],
      })),
    ],
  }
}

export function orNull(shape: Shape): Shape {
  return { valid: fc.option(shape.valid), violations: shape.violations.filter(({ value }) => value !== null) }
}

export const optional = (shape: Shape): Shape => ({ ...shape, optional: true })

/** @param closed Whether properties that are not documented are refused. */
export function object(fields: Record<string, Shape>, closed = false): Shape {
  const required = Object.keys(fields).filter((name) => fields[name]?.optional !== true)
  const values = Object.fromEntries(Object.entries(fields).map(([name, { valid }]) => [name, valid]))
  const whole = sampleOf(fc.record(values)) as object
  const without = (name: string) => Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name))
  return {
    valid: fc.record(values, { requiredKeys: required }),
    violations: [
      ...here('x', 5, []),
      ...required.map((name) => ({ path: [name], value: without(name) })),
      ...Object.entries(fields).flatMap(([name, { violations }]) =>
        violations.map(({ path, value }) => ({ path: [name, ...path], value: { ...whole, [name]: value } })),
      ),
      ...(closed ? [{ path: ['undocumented'], value: { ...whole, undocumented: 1 } }] : []),
    ],
  }
}

/** A violation inside an object or list already comes as a whole value. */
function wrap(path: (string | number)[], value: unknown, sample: unknown): unknown {
  return path.length === 0 || typeof value === 'object' ? value : sample
}
