const replacement = '[redacted]'

/** Shortest secret that is replaced: shorter ones would mangle ordinary text. */
const minimumLength = 6

/** Tokens rotate for as long as a process lives; the latest are all that answers still under way can name. */
const remembered = 32

/** Knows the secrets of one client and takes them out of what others may see. */
export class Redactor {
  readonly #secrets: string[] = []

  /** Remembers a secret, also as it stands in JSON and in a URL. */
  add(secret: string): void {
    if (secret.length < minimumLength || this.#secrets.includes(secret)) return
    this.#secrets.push(secret)
    for (const form of [JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
      if (!this.#secrets.includes(form)) this.#secrets.push(form)
    }
    while (this.#secrets.length > remembered) this.#secrets.shift()
  }

  text(text: string): string {
    return this.#secrets.reduce((clean, secret) => clean.replaceAll(secret, replacement), text)
  }

  /** Redacts every string in parsed JSON, names of properties included. The data is changed in place, at any depth. */
  data<T>(value: T): T {
    const root = { value }
    const open: object[] = [root]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const [name, child] of Object.entries(node)) {
        if (typeof child === 'string') set(node, name, this.text(child))
        else if (typeof child === 'object' && child !== null) open.push(child as object)
        const clean = this.text(name)
        if (clean === name) continue
        set(node, clean, (node as Record<string, unknown>)[name])
        Reflect.deleteProperty(node, name)
      }
    }
    return root.value
  }
}

/** Plain assignment would turn a property called `__proto__` into the prototype. */
function set(node: object, name: string, value: unknown): void {
  Object.defineProperty(node, name, { value, enumerable: true, configurable: true, writable: true })
}
