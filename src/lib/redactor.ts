import { SecretPattern } from './secret-pattern.ts'

const replacement = '[redacted]'

/** Shortest secret that is replaced, in characters: shorter ones would mangle ordinary text. */
const minSecretLength = 6

/** Replaces secrets in text and data. */
export class Redactor {
  /** The secrets that it keeps. */
  #kept: readonly SecretPattern[] = []
  /** The same, and the latest token. */
  #known: readonly SecretPattern[] = []

  add(secret: string): void {
    this.renew(secret)
    this.#kept = this.#known
  }

  /** Adds a token in place of the one before: a provider may make thousands. */
  renew(token: string): void {
    if (token === this.#known.at(-1)?.secret) return
    const known = this.#kept.some(({ secret }) => secret === token)
    this.#known =
      known || token.length < minSecretLength ? this.#kept : [...this.#kept, new SecretPattern(token)]
  }

  /** A redactor that keeps what this one knows now, and a token. */
  with(token: string): Redactor {
    if (this.#kept.some(({ secret }) => secret === token)) return this
    const redactor = new (this.constructor as typeof Redactor)()
    redactor.#kept = redactor.#known = this.#known
    if (!this.#known.some(({ secret }) => secret === token)) redactor.add(token)
    return redactor
  }

  /** Replaces secrets in text, however JSON, JavaScript, a URL, a form, HTML or Base64 writes them. */
  text(text: string): string {
    return this.#known.reduce((left, pattern) => pattern.replace(left, replacement), text)
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
