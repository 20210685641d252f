// V8 unrolls bounded repetitions, which takes a second for a long key, so these are unbounded. Each begins with a sign that it
// does not repeat, or where no backslash stands before, so that no text makes the search slow.
const percent = '%(?:25)*'
const backslashes = String.raw`(?:\\+|(?:${percent}5[cC])+)`
const noBackslash = String.raw`(?<!\\|%5[cC]|%255[cC])`
const afterBackslash = String.raw`(?<=\\|5[cC])`
const semicolon = `(?:;|${percent}3[bB])`
const ampersand = String.raw`(?:&|${percent}26|\\u0026)(?:amp${semicolon})*`
const number = `(?:#|${percent}23)`

/** Names in HTML of printable ASCII. */
const entities: Readonly<Record<string, string>> = {
  ...{ '!': 'excl', '"': 'quot|QUOT', '#': 'num', $: 'dollar', '%': 'percnt', '&': 'amp|AMP', "'": 'apos' },
  ...{ '(': 'lpar', ')': 'rpar', '*': 'ast|midast', '+': 'plus', ',': 'comma', '-': 'hyphen|dash' },
  ...{ '.': 'period', '/': 'sol', ':': 'colon', ';': 'semi', '<': 'lt|LT', '=': 'equals', '>': 'gt|GT' },
  ...{ '?': 'quest', '@': 'commat', '[': 'lsqb|lbrack', '\\': 'bsol', ']': 'rsqb|rbrack', '^': 'Hat' },
  ...{ _: 'lowbar|UnderBar', '`': 'grave', '{': 'lcub|lbrace', '|': 'verbar|vert', '}': 'rcub|rbrace' },
}

/** Finds a secret, however JSON, JavaScript, URLs, forms, HTML or Base64 write it, in time that grows with the text alone. */
export class SecretPattern {
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
    const source = Array.from(this.#texts[index] ?? '', (each, at) =>
      spellingsOf(each, index + at === 0),
    ).join('')
    return (this.#parts[index] =
      index === 0 ? new RegExp(`${source}|(${inBase64(this.secret)})`, 'g') : new RegExp(source, 'y'))
  }
}

/** How a character may be written, in one language or in one inside of another. */
function spellingsOf(character: string, isFirst: boolean): string {
  const code = character.codePointAt(0) ?? 0
  const bytes = [...new TextEncoder().encode(character)].map((byte) => percent + hex(byte, 2)).join('')
  const units = Array.from({ length: character.length }, (_, at) => `u${hex(character.charCodeAt(at), 4)}`)
  const short = code < 256 ? `|x${hex(code, 2)}` : ''
  const names = entities[character]
  const start = isFirst ? noBackslash : ''
  const inScript = `(?:${units.join(backslashes)}${short}|u\\{0*${hex(code, 1)}\\})`
  const others = [
    code < 256 ? `${percent}(?:u00)?${hex(code, 2)}` : bytes,
    ...(code > 127 && code < 256 ? [bytes] : []),
    `${ampersand}(?:${number}(?:0*${code}|[xX]0*${hex(code, 1)})${names === undefined ? '' : `|${names}`})${semicolon}?`,
    ...(character === ' ' ? ['\\+'] : []),
    // It comes last: a secret may look escaped itself.
    character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&'),
  ].join('|')
  // JavaScript may put a backslash before anything but letters and digits.
  return /[\da-z]/i.test(character)
    ? `(?:${start}${backslashes}${inScript}|${others})`
    : `(?:${start}${backslashes})?(?:${afterBackslash}${inScript}|${others})`
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
