import { ConnectionError } from '../../src/errors/index.ts'
import * as namespace from '../../src/lib/is-record.ts'

function fail(): never {
  throw new Error('a getter of the value throws')
}

/** An object that throws when it is read, written, converted or asked for its class. */
const trap = new Proxy({}, { get: () => fail })

function throwingOn(name: PropertyKey, base: object = new Error('with a getter')): object {
  return Object.defineProperty(base, name, { get: fail, configurable: true })
}

function revoked(target: object): unknown {
  const { proxy, revoke } = Proxy.revocable(target, {})
  revoke()
  return proxy
}

function cyclic<T extends object>(value: T, name: PropertyKey): T {
  return Object.defineProperty(value, name, { value, enumerable: true })
}

/** Values that code may throw, return or reject with, and that are hard to print or to inspect. Each is made anew. */
export const awkwardValues: readonly (readonly [name: string, make: () => unknown])[] = [
  ['undefined', () => undefined],
  ['null', () => null],
  ['an empty string', () => ''],
  ['a string of a million characters', () => 'x'.repeat(1e6)],
  ['a bigint', () => 10n ** 40n],
  ['a symbol', () => Symbol('awkward')],
  ['NaN', () => NaN],
  ['an object without a prototype', () => Object.create(null)],
  ['a module namespace', () => namespace],
  ['a Proxy that throws', () => new Proxy({}, trap)],
  ['a Proxy of an error that throws', () => new Proxy(new Error('target'), trap)],
  ['a revoked Proxy', () => revoked({})],
  ['a revoked Proxy of a function', () => revoked(() => {})],
  ['an error that throws on message', () => throwingOn('message')],
  ['an error that throws on name', () => throwingOn('name')],
  ['an error that throws on stack', () => throwingOn('stack')],
  ['an error that throws on cause', () => throwingOn('cause')],
  ['an error that throws on constructor', () => throwingOn('constructor')],
  [
    'an error whose message is no string',
    () => Object.assign(new Error(), { message: Object.create(null) as string }),
  ],
  [
    'an error of ours that throws on code',
    () => throwingOn('code', new ConnectionError('ours', { phase: 'connect', reason: 'x' })),
  ],
  ['an object that throws on toString', () => throwingOn('toString', {})],
  ['an object that throws on Symbol.toPrimitive', () => throwingOn(Symbol.toPrimitive, {})],
  ['an object that throws on toJSON', () => throwingOn('toJSON', {})],
  ['an object that throws on then', () => throwingOn('then', {})],
  ['an error without a prototype', () => Object.setPrototypeOf(new Error('bare'), null)],
  ['a cyclic object', () => cyclic({}, 'self')],
  ['a cyclic error', () => cyclic(new Error('cyclic'), 'cause')],
  ['a cyclic array', () => cyclic([] as unknown[], 0)],
  ['a frozen error', () => Object.freeze(new Error('frozen'))],
  ['an error with a huge message', () => new Error('y'.repeat(1e6))],
]
