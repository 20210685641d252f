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

// V8 unrolls bounded repetitions, which takes a second for a long key, so these are unbounded. Each begins with a sign that it
// does not repeat, or where no backslash stands before, so that no text makes the search slow.
const percent = '%(?:25)*'
const backslashes = String.raw`(?:\\+|(?:${percent}5[cC])+)`
const noBackslash = String.raw`(?<!\\|%5[cC]|%255[cC])`
const semicolon = `(?:;|${percent}3[bB])`
const ampersand = String.raw`(?:&|${percent}26|\\u0026)(?:amp${semicolon})*`
const number = `(?:#|${percent}23)`

/** Finds a secret, however JSON, JavaScript, URLs, forms, HTML or Base64 write it, in time that grows with the text alone. */
class SecretPattern {
  readonly secret: string
  /** The first one searches, the others must follow. Each is made when it is needed, since V8 takes milliseconds for a long one. */
  readonly #parts: RegExp[] = []
  #split: readonly string[] | undefined

  constructor(secret: string) {
    this.secret = secret
  }

  replace(text: string, replacement: string): string {
    const first = this.#part(0)
    let [result, end] = ['', 0]
    first.lastIndex = 0
    for (let match = first.exec(text); match !== null; match = first.exec(text)) {
      const last = match[1] === undefined ? this.#endOf(text, first.lastIndex) : first.lastIndex
      first.lastIndex = last ?? match.index + 1
      if (last === undefined) continue
      result += text.slice(end, match.index) + replacement
      end = last
    }
    return result + text.slice(end)
  }

  /** The end of the secret whose first part ends at an index; undefined if it does not go on there. */
  #endOf(text: string, start: number): number | undefined {
    let end = start
    for (let index = 1; index < this.#texts.length; index++) {
      const part = this.#part(index)
      part.lastIndex = end
      if (!part.test(text)) return undefined
      end = part.lastIndex
    }
    return end
  }

  /** A few characters, which hardly any text has, and the others. Behind a letter or digit, no character is read in two ways. */
  get #texts(): readonly string[] {
    return (this.#split ??= this.secret.match(/^.{3,}?[\da-z]|.{63,}?[\da-z]|.+/gisu) ?? [])
  }

  #part(index: number): RegExp {
    const made = this.#parts[index]
    if (made !== undefined) return made
    const source = (this.#texts[index] ?? '')
      .split('')
      .map((each, at) => spellingsOf(each, index + at === 0))
      .join('')
    return (this.#parts[index] =
      index === 0 ? new RegExp(`${source}|(${inBase64(this.secret)})`, 'g') : new RegExp(source, 'y'))
  }
}

/** How a character may be written, in one language or in one inside of another. For signs, any name of HTML will do. */
function spellingsOf(character: string, isFirst: boolean): string {
  const code = character.charCodeAt(0)
  const unit = hex(code, 4)
  const bytes = Array.from(new TextEncoder().encode(character), (byte) => hex(byte, 2)).join(percent)
  const isWord = /[\da-z]/i.test(character)
  const inScript = `(?:u${unit}|x${hex(code, 2)}|u\\{0*${hex(code, 1)}\\})`
  const others = [
    `${percent}(?:u${unit}|${bytes})`,
    `${ampersand}(?:${number}(?:0*${code}|[xX]0*${hex(code, 1)})${isWord ? '' : '|[a-zA-Z]+'})${semicolon}?`,
    ...(character === ' ' ? ['\\+'] : []),
    // It comes last: a secret may look escaped itself.
    character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&'),
  ].join('|')
  const start = (isFirst ? noBackslash : '') + backslashes
  // JavaScript may put a backslash before anything but letters and digits.
  return isWord ? `(?:${start}${inScript}|${others})` : `(?:${start})?(?:${inScript}|${others})`
}

/** A number in hexadecimal digits of either case. */
function hex(value: number, length: number): string {
  const digits = value.toString(16).padStart(length, '0')
  return digits.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}

/** The Base64 of a text that holds the secret: its characters stand at one of three places. */
function inBase64(secret: string): string {
  const bytes = Array.from(new TextEncoder().encode(secret), (byte) => String.fromCharCode(byte)).join('')
  const forms = [0, 1, 2].map((before) => {
    const whole = btoa('\0'.repeat(before) + bytes)
    // The first and the last of its characters have bits of others.
    const inner = whole.slice(before === 0 ? 0 : before + 1, Math.floor(((before + bytes.length) * 8) / 6))
    return inner.replaceAll('+', '[+-]').replaceAll('/', '[/_]')
  })
  return forms.join('|')
}
