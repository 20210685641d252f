/** Shows a value in one way that the runtime has for it, `util.inspect` for example. */
export type Inspect = (value: unknown) => string

/** Objects that one look goes through at most. */
const maxObjects = 50_000

/** All the text there is in a value, however it is hidden: what loggers, debuggers and careless code could print. */
export function everything(value: unknown, inspect: Inspect): string {
  return [...views(value, inspect), ...parts(value)].join('\n')
}

function* views(value: unknown, inspect: Inspect): Generator<string> {
  yield inspect(value)
  yield attempt(() => String(value))
  yield attempt(() => JSON.stringify(value))
  if (typeof value === 'object' && value !== null) {
    yield attempt(() => JSON.stringify(value, Object.getOwnPropertyNames(value)))
  }
}

/** Names and values of all properties, hidden and inherited ones included, with what getters and iterators give. */
function* parts(root: unknown): Generator<string> {
  const known = new Set<unknown>()
  const open: unknown[] = [root]
  while (open.length > 0 && known.size < maxObjects) {
    const value = open.pop()
    if (typeof value === 'string' || typeof value === 'symbol' || typeof value === 'bigint')
      yield String(value)
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || known.has(value))
      continue
    known.add(value)
    if (typeof value === 'function') yield attempt(() => String(value))
    if (ArrayBuffer.isView(value)) {
      yield new TextDecoder().decode(value)
      continue
    }
    if ([Map, Set, Headers, URLSearchParams].some((kind) => value instanceof kind))
      open.push([...(value as Iterable<unknown>)])
    for (let owner: object | null = value; owner !== null && !isBuiltin(owner);) {
      for (const name of Reflect.ownKeys(owner)) {
        open.push(name)
        const descriptor = Reflect.getOwnPropertyDescriptor(owner, name)
        open.push(descriptor?.get ? read(value, descriptor.get) : descriptor?.value)
      }
      owner = Reflect.getPrototypeOf(owner)
    }
  }
}

function isBuiltin(owner: object): boolean {
  return owner === Object.prototype || owner === Function.prototype || owner === Array.prototype
}

function read(value: object, getter: () => unknown): unknown {
  try {
    const got: unknown = Reflect.apply(getter, value, [])
    // That of a stream, asked on its prototype.
    if (got instanceof Promise) got.catch(() => {})
    return got
  } catch {
    return undefined
  }
}

function attempt(show: () => string | undefined): string {
  try {
    return show() ?? ''
  } catch {
    return ''
  }
}
