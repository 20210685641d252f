const self = Symbol('self')

/** Lets {@link unproxied} find the object itself. For a constructor. */
export function keepSelf(object: object): void {
  // A function, since a reactive Proxy would wrap an object.
  Object.defineProperty(object, self, { value: () => object, configurable: true })
}

/** The object that has the private fields, if it is reached through a Proxy, such as one of Vue's `ref()`. */
export function unproxied<T extends object>(object: T): T {
  return (object as { [self]?: () => T })[self]?.() ?? object
}
