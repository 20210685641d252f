const replacement = '[redacted]'

/** Shortest secret that is replaced, in characters: shorter ones would mangle ordinary text. */
const minSecretLength = 6

/** Longest request id that is kept, in characters: ids end up in logs. */
const maxIdLength = 128

/** Replaces secrets in text and data. */
export class Redactor {
  /** The secrets that it keeps. */
  #kept: readonly string[] = []
  /** The same, and those of the latest token. */
  #known: readonly string[] = []

  add(secret: string): void {
    this.#kept = [...new Set([...this.#kept, ...formsOf(secret)])]
    this.renew(secret)
  }

  /** Adds a token in place of the one before: a provider may make thousands. */
  renew(token: string): void {
    this.#known = [...new Set([...this.#kept, ...formsOf(token)])]
  }

  /** A redactor that keeps what this one knows now, and a token. */
  with(token: string): Redactor {
    if (this.#kept.includes(token)) return this
    const redactor = new (this.constructor as typeof Redactor)()
    redactor.#kept = this.#known
    redactor.add(token)
    return redactor
  }

  /** Replaces secrets in text, also in JSON that escapes them. */
  text(text: string): string {
    const clean = this.#replaced(text)
    // Most texts have no such escape, and need no slow search.
    if (!clean.includes('\\u00') && !clean.includes('\\/')) return clean
    const plain = withoutEscapes(clean)
    const replaced = this.#replaced(plain)
    return replaced === plain ? clean : replaced
  }

  #replaced(text: string): string {
    return this.#known.reduce((left, secret) => left.replaceAll(secret, replacement), text)
  }

  /** The request id of a body, redacted and printable; undefined if it is missing. */
  requestId(body: unknown): string | undefined {
    const requestId = (body as { requestId?: unknown } | null | undefined)?.requestId
    if (typeof requestId !== 'string') return undefined
    if (/^[\x21-\x7e]{1,128}$/.test(requestId)) return requestId
    // Without the removed characters, two parts may have become a secret.
    return this.text(requestId.replaceAll(/[^\x21-\x7e]/g, '')).slice(0, maxIdLength) || undefined
  }

  /** Redacts every string in parsed JSON, names of properties included. Changes the data in place. */
  data<T>(value: T): T {
    const root = { value }
    const open: object[] = [root]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const [name, child] of Object.entries(node)) {
        const value: unknown = typeof child === 'string' ? this.text(child) : child
        if (typeof child === 'object' && child !== null) open.push(child as object)
        const clean = this.text(name)
        if (clean === name && value === child) continue
        if (clean !== name) Reflect.deleteProperty(node, name)
        // Plain assignment would turn a property called `__proto__` into the prototype.
        Object.defineProperty(node, clean, { value, enumerable: true, configurable: true, writable: true })
      }
    }
    return root.value
  }
}

/** A secret as JSON, URLs and forms write it; none if it is too short. */
function formsOf(secret: string): string[] {
  if (secret.length < minSecretLength) return []
  const inForm = String(new URLSearchParams({ '': secret })).slice(1)
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), inForm]
}

/** JSON text without the escapes that it does not need: `\u006b` for `k`, `\/` for `/`. */
function withoutEscapes(json: string): string {
  return json.replaceAll(/\\(?:u(00[2-7][\da-f])|[^u])/gi, (escape, code?: string) =>
    code === undefined
      ? escape.replace('\\/', '/')
      : JSON.stringify(String.fromCharCode(parseInt(code, 16))).slice(1, -1),
  )
}
