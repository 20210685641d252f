/** What programs throw that is no error, or hard to print. Each is made anew. */
export const thrownValues: readonly (readonly [name: string, make: () => unknown])[] = [
  ['undefined', () => undefined],
  ['null', () => null],
  ['an empty string', () => ''],
  ['a string', () => 'in words'],
  ['a plain object', () => ({ code: 'E_OWN', message: 7 })],
  ['an error with a long message', () => new Error('y'.repeat(2000))],
]
