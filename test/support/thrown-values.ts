/** What programs throw that is no error, hard to print, or throws when it is looked at. Each is made anew. */
export const thrownValues: readonly (readonly [name: string, make: () => unknown])[] = [
  ['undefined', () => undefined],
  ['null', () => null],
  ['an empty string', () => ''],
  ['a string', () => 'in words'],
  ['a plain object', () => ({ code: 'E_OWN', message: 7 })],
  ['an error with a long message', () => new Error('y'.repeat(2000))],
  ['an object without a prototype', () => Object.create(null)],
  ['an object whose toString throws', () => ({ toString: fail })],
  ['an error whose message is an object', () => Object.assign(new Error(), { message: Object.create(null) })],
  ['an error whose message throws', () => Object.defineProperty(new Error(), 'message', { get: fail })],
  ['an AggregateError that contains itself', aggregateOfItself],
  ['a revoked proxy', revokedProxy],
]

function fail(): never {
  throw new Error('it throws when it is read')
}

function aggregateOfItself(): AggregateError {
  const error = new AggregateError([], '')
  error.errors.push(error)
  return error
}

function revokedProxy(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
