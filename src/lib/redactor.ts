import { namesOf } from './json.ts'
import { EscapeReader, type Reading } from './escapes.ts'

const replacement = '[redacted]'

/** Shortest secret that is replaced, in characters: shorter ones would mangle ordinary text. */
const minSecretLength = 6

/** Replaces secrets in text and data. */
export class Redactor {
  /** The secrets that it keeps. */
  #kept: readonly Secret[] = []
  /** The same, and the latest token. */
  #known: readonly Secret[] = []
  /** All that a text may show of them, the longest first, which may begin with others. Made when it is needed. */
  #forms: readonly string[] | undefined

  add(secret: string): void {
    this.renew(secret)
    this.#kept = this.#known
  }

  /** Adds a token in place of the one before: a provider may make thousands. */
  renew(token: string): void {
    if (token === this.#known.at(-1)?.text) return
    const isKept = token.length < minSecretLength || this.#kept.some(({ text }) => text === token)
    this.#known = isKept ? this.#kept : [...this.#kept, new Secret(token)]
    this.#forms = undefined
  }

  /** A redactor that keeps what this one knows now, and a token. */
  with(token: string): Redactor {
    if (this.#kept.some(({ text }) => text === token)) return this
    const redactor = new (this.constructor as typeof Redactor)()
    redactor.#kept = redactor.#known = this.#known
    if (this.#known.some(({ text }) => text === token)) redactor.#forms = this.#forms
    else redactor.add(token)
    return redactor
  }

  /**
   * Replaces secrets in text, however JSON, JavaScript, URLs, forms, HTML or Base64 write them, or these within each
   * other. The time grows with the length of the text, whatever that holds.
   */
  text(text: string): string {
    if (this.#known.length === 0 || text.length < minSecretLength) return text
    const forms = (this.#forms ??= allOf(this.#known))
    // First what stands there as it is, since the end of another escape could be its beginning.
    const left = forms.reduce((left, form) => left.replaceAll(form, replacement), text)
    return cleanEscapes(left, forms)
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

function allOf(secrets: readonly Secret[]): string[] {
  const forms = new Set(secrets.flatMap(({ forms }) => forms))
  return [...forms].sort((one, other) => other.length - one.length)
}

/** Replaces what stands between spaces, if it shows a secret to who reads its escapes. */
function cleanEscapes(text: string, forms: readonly string[]): string {
  const shortest = forms.at(-1)?.length ?? Infinity
  const spaceFrom = (index: number): number => (text.indexOf(' ', index) + 1 || text.length + 1) - 1
  const opening = /[%\\&]/g
  if (!opening.test(text)) return text
  opening.lastIndex = 0
  const reader = new EscapeReader(forms)
  // One with spaces may be anywhere.
  if (forms.some((form) => form.includes(' '))) return cleanPart(text, reader.read(text))
  let clean = ''
  let done = 0
  while (opening.test(text)) {
    const start = Math.max(done, text.lastIndexOf(' ', opening.lastIndex) + 1)
    const end = spaceFrom(opening.lastIndex)
    opening.lastIndex = end
    if (end - start < shortest) continue
    // To begin takes as long as to read so many characters.
    const part = text.slice(start, spaceFrom(start + 100))
    clean += text.slice(done, start) + cleanPart(part, reader.read(part))
    opening.lastIndex = done = start + part.length
  }
  return clean + text.slice(done)
}

function cleanPart(written: string, { spans }: Reading): string {
  let clean = ''
  let done = 0
  for (const [start, end] of spans.toReversed()) {
    if (start >= done) clean += written.slice(done, start) + replacement
    done = Math.max(done, end)
  }
  return clean + written.slice(done)
}

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
