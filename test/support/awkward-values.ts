function fail(): never {
  throw new Error('a getter of the value throws')
}

function throwingOn(name: PropertyKey, base: object): object {
  return Object.defineProperty(base, name, { get: fail, configurable: true })
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

/** Values that code may throw, return or reject with, and that are hard to print or to inspect. Each is made anew. */
export const awkwardValues: readonly (readonly [name: string, make: () => unknown])[] = [
  ['undefined', () => undefined],
  ['null', () => null],
  ['a string of a million characters', () => 'x'.repeat(1e6)],
  ['a symbol', () => Symbol('awkward')],
  ['an object without a prototype', () => Object.create(null)],
  ['a revoked Proxy', revoked],
  ['an error that throws on message', () => throwingOn('message', new Error('with a getter'))],
  [
    'an error whose message is no string',
    () => Object.assign(new Error(), { message: Object.create(null) as string }),
  ],
  ['an error without a prototype', () => Object.setPrototypeOf(new Error('bare'), null)],
  ['an object that throws on then', () => throwingOn('then', {})],
  ['a frozen error', () => Object.freeze(new Error('frozen'))],
  ['an error with a huge message', () => new Error('y'.repeat(1e6))],
]
