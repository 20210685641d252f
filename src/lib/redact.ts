const replacement = '[redacted]'

/** Shortest secret that is replaced, in characters: shorter ones would mangle ordinary text. */
const minSecretLength = 6

/** Longest request id that is kept, in characters: ids end up in logs. */
const maxIdLength = 128

/** Replaces secrets in text and data. */
export class Redactor {
  /** The secrets that it keeps, in every encoding. */
  #kept: readonly string[] = []
  /** The same, and those of the latest token. */
  #known: readonly string[] = []
  /** Matches every secret, however JSON escapes it. It is made when a text needs it. */
  #pattern: RegExp | undefined

  /** Adds a secret, also in its JSON, URL and form encodings. */
  add(secret: string): void {
    this.#kept = [...new Set([...this.#kept, ...formsOf(secret)])]
    this.renew(secret)
  }

  /** Adds a token in place of the one before: a provider may make thousands. */
  renew(token: string): void {
    this.#known = [...new Set([...this.#kept, ...formsOf(token)])]
    this.#pattern = undefined
  }

  /** A redactor that keeps what this one knows now, and a token. */
  with(token: string): Redactor {
    if (this.#kept.includes(token)) return this
    const redactor = new (this.constructor as typeof Redactor)()
    redactor.#kept = this.#known
    redactor.add(token)
    return redactor
  }

  text(text: string): string {
    if (this.#known.length === 0) return text
    this.#pattern ??= new RegExp(this.#known.map(inAnyEscape).join('|'), 'g')
    return text.replace(this.#pattern, replacement)
  }

  /** Whether a JSON text contains a secret: as it is, or in escapes that parsing undoes. */
  containsSecret(text: string): boolean {
    if (this.#known.some((secret) => text.includes(secret))) return true
    // Most texts have no such escape, and need no slow search.
    const mayBeEscaped = text.includes('\\u') || text.includes('\\/')
    return mayBeEscaped && this.text(text) !== text
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

/** A secret in the encodings in which it may appear; none if it is too short. */
function formsOf(secret: string): string[] {
  if (secret.length < minSecretLength) return []
  const inUrls = [encodeURIComponent(secret), String(new URLSearchParams({ '': secret })).slice(1)]
  const inLowerCase = inUrls.map((form) => form.replaceAll(/%../g, (code) => code.toLowerCase()))
  return [secret, JSON.stringify(secret).slice(1, -1), ...inUrls, ...inLowerCase]
}

/** Most characters of a secret that a pattern spells out: regular expressions of some thousands overflow the stack. */
const maxSpelled = 256

/** A pattern for a secret in JSON, where each character may be escaped: `k` as `\u006b`, `/` as `\/`. */
function inAnyEscape(secret: string): string {
  const rest = secret.length > maxSpelled ? '(?:\\\\u[0-9a-fA-F]{4}|\\\\?[^"\\\\\\s])*' : ''
  const start = Array.from(secret.slice(0, maxSpelled), (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0')
    const hex = Array.from(code, (digit) => (digit >= 'a' ? `[${digit}${digit.toUpperCase()}]` : digit)).join(
      '',
    )
    const literal = /\w/.test(character) ? character : `\\\\?\\${character}`
    return `(?:${literal}|\\\\u${hex})`
  }).join('')
  return start + rest
}
