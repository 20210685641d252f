import { namesOf } from './json.ts'
import { EscapeReader } from './escapes.ts'

const replacement = '[redacted]'

/** Shortest secret that is replaced, in characters: shorter ones would mangle ordinary text. */
const minSecretLength = 6

/** Replaces secrets in text and data. */
export class Redactor {
  /** The secrets that it keeps. */
  #kept: readonly string[] = []
  /** The same, and the latest token. */
  #known: readonly string[] = []
  /** Finds them in texts. Made when it is needed. */
  #reader: EscapeReader | undefined

  add(secret: string): void {
    this.renew(secret)
    this.#kept = this.#known
  }

  /** Adds a token in place of the one before: a provider may make thousands. */
  renew(token: string): void {
    if (token === this.#known.at(-1)) return
    const isKept = token.length < minSecretLength || this.#kept.includes(token)
    this.#known = isKept ? this.#kept : [...this.#kept, token]
    this.#reader = undefined
  }

  /** A redactor that keeps what this one knows now, and a token. */
  with(token: string): Redactor {
    if (this.#kept.includes(token)) return this
    const redactor = new (this.constructor as typeof Redactor)()
    redactor.#kept = redactor.#known = this.#known
    if (this.#known.includes(token)) redactor.#reader = this.#reader
    else redactor.add(token)
    return redactor
  }

  /**
   * Replaces secrets in text, and the Base64 of plain text with them, however JSON, JavaScript, URLs, forms and HTML write that
   * within each other. It reads no Base64 of escaped text or of Base64, and none in several lines. The time grows with the length
   * of the text, whatever that holds.
   */
  text(text: string): string {
    if (this.#known.length === 0 || text.length < minSecretLength) return text
    const reader = (this.#reader ??= readerOf(this.#known))
    // First what stands there as it is, since the end of another escape could be its beginning.
    const left = reader.forms.reduce((left, form) => left.replaceAll(form, replacement), text)
    if (!/[%\\&]/.test(left)) return left
    let clean = ''
    let done = 0
    for (const [start, end] of reader.read(left).spans.toReversed()) {
      if (start >= done) clean += left.slice(done, start) + replacement
      done = Math.max(done, end)
    }
    return clean + left.slice(done)
  }

  /** Redacts every string and number in parsed JSON, names of properties included. Changes the data in place. */
  data<T>(value: T): T {
    const root = { value }
    const open: object[] = [root]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const name of namesOf(node)) {
        const child = (node as Readonly<Record<string | number, unknown>>)[name]
        const value = this.#value(child)
        if (typeof child === 'object' && child !== null) open.push(child)
        const clean = typeof name === 'number' ? name : this.text(name)
        if (clean === name && value === child) continue
        if (clean !== name) Reflect.deleteProperty(node, name)
        // Plain assignment would turn a property called `__proto__` into the prototype.
        Object.defineProperty(node, clean, { value, enumerable: true, configurable: true, writable: true })
      }
    }
    return root.value
  }

  /** A secret of digits may be a number. */
  #value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value !== 'number' && typeof value !== 'bigint') return value
    const text = String(value)
    const clean = this.text(text)
    return clean === text ? value : clean
  }
}

/**
 * Knows all options that are secrets, of a client or of a login: no text shows them. The tokens of a provider are added as it
 * makes them.
 */
export function redactorOf({ apiKey, clientSecret }: { apiKey?: unknown; clientSecret?: unknown }): Redactor {
  const redactor = new Redactor()
  for (const secret of [apiKey, clientSecret]) if (typeof secret === 'string') redactor.add(secret)
  return redactor
}

/** Finds all that a text may show of secrets, the longest first, which may begin with others. */
function readerOf(secrets: readonly string[]): EscapeReader {
  const forms = new Set(secrets.flatMap(formsOf))
  return new EscapeReader([...forms].sort((one, other) => other.length - one.length))
}

/** What a text shows of a secret when all escapes are read: itself, its UTF-8, its Base64. */
function formsOf(secret: string): string[] {
  const spelled = [secret, secret.replaceAll(' ', '+'), encodeURIComponent(secret.toWellFormed())]
  const reader = new EscapeReader()
  const read = spelled.map((each) => textOf(reader.read(each).codes))
  // What is nothing but escapes may stand for a few letters.
  return [...spelled, ...read, ...inBase64(secret)].filter(({ length }) => length >= minSecretLength)
}

/** Also for a long secret: a call takes only so many arguments. */
const textOf = (codes: Iterable<number>): string =>
  Array.from(codes, (code) => String.fromCharCode(code)).join('')

/** The Base64 of a text that holds a secret: its characters stand at one of three places. */
function inBase64(secret: string): string[] {
  const bytes = textOf(new TextEncoder().encode(secret))
  return [0, 1, 2].flatMap((before) => {
    const whole = btoa('\0'.repeat(before) + bytes)
    // The first and the last of its characters have bits of others.
    const inner = whole.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6))
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
