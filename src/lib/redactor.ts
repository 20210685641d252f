import { EscapeReader } from './escapes.ts'

const replacement = '[redacted]'

/** Shortest secret that is replaced, in characters: shorter ones would mangle ordinary text. */
const minSecretLength = 6

/** Replaces secrets in text and data. */
export class Redactor {
  /** The secrets that it keeps. */
  #kept: readonly Secret[] = []
  /** The same, and the latest token. */
  #known: readonly Secret[] = []
  /** How they stand in a text as they are, the longest first, which may begin with others. */
  #plain: readonly string[] = []
  /** Finds them where they are escaped. */
  #reader: EscapeReader | undefined

  add(secret: string): void {
    this.renew(secret)
    this.#kept = this.#known
  }

  /** Adds a token in place of the one before: a provider may make thousands. */
  renew(token: string): void {
    if (token === this.#known.at(-1)?.text) return
    const isKept = token.length < minSecretLength || this.#kept.some(({ text }) => text === token)
    this.#known = isKept ? this.#kept : [...this.#kept, new Secret(token)]
    this.#reader = undefined
  }

  /** A redactor that keeps what this one knows now, and a token. */
  with(token: string): Redactor {
    if (this.#kept.some(({ text }) => text === token)) return this
    const redactor = new (this.constructor as typeof Redactor)()
    redactor.#kept = redactor.#known = this.#known
    if (this.#known.some(({ text }) => text === token))
      [redactor.#plain, redactor.#reader] = [this.#plain, this.#reader]
    else redactor.add(token)
    return redactor
  }

  /**
   * Replaces secrets in text, however JSON, JavaScript, URLs, forms, HTML or Base64 write them, or one of these within another. The
   * time grows with the length of the text, whatever that holds.
   */
  text(text: string): string {
    if (this.#known.length === 0 || text.length < minSecretLength) return text
    const reader = (this.#reader ??= this.#prepare())
    // First what stands there as it is, since the end of another escape could be its beginning.
    const left = this.#plain.reduce((left, secret) => left.replaceAll(secret, replacement), text)
    return reader.replace(left, replacement)
  }

  #prepare(): EscapeReader {
    const forms = this.#known.flatMap(({ forms }) => forms)
    const plain = new Set([...this.#known.map(({ text }) => text), ...forms])
    this.#plain = [...plain].sort((one, other) => other.length - one.length)
    return new EscapeReader(
      forms,
      this.#known.flatMap(({ text }) => headOf(text)),
    )
  }

  /** Redacts every string and number in parsed JSON, names of properties included. Changes the data in place. */
  data<T>(value: T): T {
    const root = { value }
    const open: object[] = [root]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const [name, child] of Object.entries(node)) {
        const value = this.#value(child)
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

class Secret {
  readonly text: string
  #forms: readonly string[] | undefined

  constructor(text: string) {
    this.text = text
  }

  /** What a text shows of it when all escapes are read: itself, its UTF-8, its Base64. Made when it is needed. */
  get forms(): readonly string[] {
    return (this.#forms ??= formsOf(this.text))
  }
}

function formsOf(secret: string): string[] {
  const spelled = [secret, secret.replaceAll(' ', '+'), encodeURIComponent(secret.toWellFormed())]
  const reader = new EscapeReader([], [], Math.max(...spelled.map(({ length }) => length)))
  const read = [...new Set(spelled)].map((each) => reader.read(each))
  // What is nothing but escapes may stand for a few letters.
  return [...new Set([...read, ...inBase64(secret)])].filter(({ length }) => length >= minSecretLength)
}

/** What a secret has before a sign that opens an escape, if the text behind the secret completes it. */
function headOf(secret: string): string[] {
  const [head = ''] = /^.{6,}?(?=[%&\\])/s.exec(secret) ?? []
  const read = new EscapeReader([], [], head.length).read(head)
  return read.length < minSecretLength ? [] : [read]
}

/** The Base64 of a text that holds a secret: its characters stand at one of three places. */
function inBase64(secret: string): string[] {
  const bytes = Array.from(new TextEncoder().encode(secret), (byte) => String.fromCharCode(byte)).join('')
  return [0, 1, 2].flatMap((before) => {
    const whole = btoa('\0'.repeat(before) + bytes)
    // The first and the last of its characters have bits of others.
    const inner = whole.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6))
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
  })
}
