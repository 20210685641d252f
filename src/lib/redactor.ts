import { escapedSecrets } from './escaped-secrets.ts'

const replacement = '[redacted]'

/** Shortest secret that is replaced, in characters: shorter ones would mangle ordinary text. */
const minSecretLength = 6

/** Replaces secrets in text and data. */
export class Redactor {
  /** The secrets that it keeps. */
  #kept: readonly string[] = []
  /** The same, and the latest token. */
  #known: readonly string[] = []

  add(secret: string): void {
    this.renew(secret)
    this.#kept = this.#known
  }

  /** Adds a token in place of the one before: a provider may make thousands. */
  renew(token: string): void {
    if (token === this.#known.at(-1)) return
    this.#known = token.length < minSecretLength ? this.#kept : [...new Set([...this.#kept, token])]
  }

  /** A redactor that keeps what this one knows now, and a token. */
  with(token: string): Redactor {
    if (this.#kept.includes(token)) return this
    const redactor = new (this.constructor as typeof Redactor)()
    redactor.#kept = this.#known
    redactor.add(token)
    return redactor
  }

  /** Replaces secrets in text, however JSON, a URL, a form or HTML writes them. */
  text(text: string): string {
    const clean = this.#known.reduce((left, secret) => left.replaceAll(secret, replacement), text)
    let [result, end] = ['', 0]
    for (const [from, to] of escapedSecrets(clean, this.#known).sort(([a], [b]) => a - b)) {
      if (from >= end) result += clean.slice(end, from) + replacement
      end = Math.max(end, to)
    }
    return result + clean.slice(end)
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
