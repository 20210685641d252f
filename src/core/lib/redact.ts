const replacement = '[redacted]'

/** Shortest secret that is replaced: shorter ones would mangle ordinary text. */
const minimumLength = 6

/** Most encoded secrets kept. Tokens rotate, and a pending response can only contain a recent one. */
const remembered = 32

/** Longest request id that is repeated; the documented ones are short, and an id ends up in logs. */
const maxIdLength = 128

/** Knows the secrets of one client and takes them out of what others may see. */
export class Redactor {
  readonly #secrets: string[] = []

  /** Remembers a secret, also as it stands in JSON, in a URL and in a form. */
  add(secret: string): void {
    if (secret.length < minimumLength || this.#secrets.includes(secret)) return
    const inUrls = [encodeURIComponent(secret), String(new URLSearchParams({ '': secret })).slice(1)]
    const inLowerCase = inUrls.map((form) => form.replaceAll(/%../g, (code) => code.toLowerCase()))
    for (const form of [secret, JSON.stringify(secret).slice(1, -1), ...inUrls, ...inLowerCase]) {
      if (!this.#secrets.includes(form)) this.#secrets.push(form)
    }
    while (this.#secrets.length > remembered) this.#secrets.shift()
  }

  text(text: string): string {
    return this.#secrets.reduce((clean, secret) => clean.replaceAll(secret, replacement), text)
  }

  /** Whether a JSON text may hold a secret: as it stands, or in escapes that only parsing undoes. */
  suspects(text: string): boolean {
    for (const secret of this.#secrets) if (text.includes(secret)) return true
    return text.includes('\\u') || text.includes('\\/')
  }

  /** The request id of a body that is free of secrets, safe to print; undefined where there is none. */
  requestId(body: unknown): string | undefined {
    const requestId = (body as { requestId?: unknown } | null | undefined)?.requestId
    if (typeof requestId !== 'string') return undefined
    if (/^[\x21-\x7e]{1,128}$/.test(requestId)) return requestId
    // What separated the parts of a secret may have been cleaned away.
    return this.text(requestId.replaceAll(/[^\x21-\x7e]/g, '')).slice(0, maxIdLength) || undefined
  }

  /** Redacts every string in parsed JSON, names of properties included. The data is changed in place, at any depth. */
  data<T>(value: T): T {
    const root = { value }
    this.purge(root)
    return root.value
  }

  /** Does the same below an object, and tells whether there was anything to take out. */
  purge(root: object): boolean {
    let found = false
    const open: object[] = [root]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const [name, child] of Object.entries(node)) {
        const value: unknown = typeof child === 'string' ? this.text(child) : child
        if (typeof child === 'object' && child !== null) open.push(child as object)
        const clean = this.text(name)
        if (clean === name && value === child) continue
        found = true
        if (clean !== name) Reflect.deleteProperty(node, name)
        set(node, clean, value)
      }
    }
    return found
  }
}

/** Plain assignment would turn a property called `__proto__` into the prototype. */
function set(node: object, name: string, value: unknown): void {
  Object.defineProperty(node, name, { value, enumerable: true, configurable: true, writable: true })
}
