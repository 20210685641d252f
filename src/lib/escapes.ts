const percent = 0x25
const backslash = 0x5c
const ampersand = 0x26
const hash = 0x23
const semicolon = 0x3b
const brace = 0x7b
const closingBrace = 0x7d
const u = 0x75
const x = 0x78
/** Stands for any sign: what a name of HTML says. No text has this one and the next. */
const anySign = 1
/** Stands for any character beyond Latin-1: no header has them. */
const foreign = 2

// What a character does.
/** It is in no secret and no escape. */
const stops = 0
const belongs = 1
const begins = 2
const opens = 3
const ofEscapes = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ%\\&#;{}'

/** The names of signs that begin, divide or end escapes, besides `amp`. */
const signs = { AMP: ampersand, percnt: percent, bsol: backslash, num: hash, semi: semicolon }
const names = /* @__PURE__ */ Object.entries(signs)
/** Most digits of a number, and letters of a name, so that none is looked at many times. */
const mostLetters = 32
/** So much less than any digits are worth. */
const noDigit = -0x10000
/** The value of each hexadecimal digit by its code. */
const digits = /* @__PURE__ */ Int32Array.from({ length: 256 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(value) ? noDigit : value
})

/** A part of a text. */
interface Place {
  start: number
  end: number
}

/**
 * Reads a text as its last reader sees it, however URLs, JavaScript with JSON, and HTML are written within each other. It begins
 * at the end: once it comes to the sign that opens an escape, it has read what follows, and puts in its place what the escape
 * stands for, which may open another one. It adds and removes each character once, so no text takes much longer than another.
 */
export class EscapeReader {
  readonly #kinds = new Uint8Array(256)
  /** The secrets by the code that each begins with. */
  readonly #secrets: readonly (readonly string[])[]
  readonly #heads: readonly string[]
  readonly #shortest: number
  /** How many characters a secret or an escape may need. */
  readonly #longest: number
  // What has been read, from an index on that falls: the code of each character, and where it begins in the text.
  readonly #chars: Uint8Array
  readonly #starts: Int32Array
  #top = 0

  /**
   * @param found What to find, as `read()` returns it. @param heads Beginnings of these, to find if an escape follows, with it.
   * @param size The longest text that `read()` is asked for.
   */
  constructor(found: readonly string[], heads: readonly string[] = [], size = 1024) {
    this.#heads = heads
    const secrets = [...found, ...heads]
    const lengths = secrets.map(({ length }) => length)
    this.#shortest = Math.min(...lengths)
    this.#longest = Math.max(0, ...lengths) + 2 * mostLetters
    this.#chars = new Uint8Array(this.#longest + size)
    this.#starts = new Int32Array(this.#longest + size)
    for (const char of `${ofEscapes}${secrets.join('')}`) this.#kinds[char.charCodeAt(0)] = belongs
    this.#secrets = Array.from(this.#kinds, (_, code) =>
      secrets.filter((secret) => isSame(code, secret.charCodeAt(0))),
    )
    for (const [code, { length }] of this.#secrets.entries()) if (length > 0) this.#kinds[code] = begins
    for (const opening of [percent, backslash, ampersand]) this.#kinds[opening] = opens
  }

  /** A text as its last reader sees it, without backslashes. */
  read(text: string): string {
    this.#find(text, 0, text.length)
    const read = this.#chars.subarray(this.#top, -2 * mostLetters)
    return Array.from(read, (code) => String.fromCharCode(code)).join('')
  }

  /** Replaces the secrets in words that have escapes and are long enough. */
  replace(text: string, replacement: string): string {
    const kindAt = (index: number): number => this.#kinds[text.charCodeAt(index)] ?? stops
    const opening = /[%\\&]/g
    let result = ''
    let end = 0
    let wordEnd = 0
    for (let index = 0; index < text.length; index = wordEnd) {
      // To ask the engine takes as long as some characters do.
      const near = Math.min(index + 32, text.length)
      while (index < near && kindAt(index) !== opens) index++
      opening.lastIndex = index
      if (index === near && !opening.test(text)) break
      if (index === near) index = opening.lastIndex - 1
      let wordStart = index
      while (wordStart > wordEnd && kindAt(wordStart - 1) !== stops) wordStart--
      wordEnd = index + 1
      while (wordEnd < text.length && kindAt(wordEnd) !== stops) wordEnd++
      if (wordEnd - wordStart < this.#shortest) continue
      for (const place of this.#find(text, wordStart, wordEnd).reverse()) {
        result += text.slice(end, place.start) + replacement
        end = place.end
      }
    }
    return result + text.slice(end)
  }

  /** The places of the secrets in a part of a text, the last one first. */
  #find(text: string, from: number, to: number): Place[] {
    const found: Place[] = []
    const kinds = this.#kinds
    const chars = this.#chars
    const starts = this.#starts
    let top = chars.length - 2 * mostLetters
    chars.fill(0, top)
    starts[top] = to
    for (let index = to - 1; index >= from; index--) {
      let code = inLatin(text.charCodeAt(index))
      let kind = kinds[code] as number
      if (kind === opens) {
        // JSON within JSON doubles them.
        if (code === backslash) while (index > from && text.charCodeAt(index - 1) === backslash) index--
        while (kind === opens) {
          const escape = escapeAt(chars, top, code)
          if (escape === 0) break
          top += escape & 63
          code = inLatin(escape >> 6)
          kind = kinds[code] as number
        }
        if (code === backslash) {
          // One that is left says nothing. It goes with what follows.
          const latest = found.at(-1)
          if (latest !== undefined && latest.start === starts[top]) latest.start = index
          starts[top] = index
          continue
        }
      }
      if (top === 0) top = this.#forget()
      chars[--top] = code
      starts[top] = index
      if (kind === begins) this.#match(text, code, top, found)
    }
    this.#top = top
    return found
  }

  #match(text: string, code: number, top: number, found: Place[]): void {
    for (const secret of this.#secrets[code] as readonly string[]) {
      if (!startsWith(this.#chars, top, secret)) continue
      const start = this.#starts[top] as number
      let next = top + secret.length
      if (this.#heads.includes(secret)) {
        if (this.#kinds[text.charCodeAt(this.#starts[next] as number)] !== opens) continue
        next++
      }
      const end = this.#starts[next] as number
      const latest = found.at(-1)
      if (latest === undefined || end <= latest.start) found.push({ start, end })
      else Object.assign(latest, { start, end: Math.max(end, latest.end) })
    }
  }

  /** Keeps what a secret or an escape may need. */
  #forget(): number {
    const top = this.#chars.length - this.#longest
    for (const each of [this.#chars, this.#starts]) each.copyWithin(top, 0, this.#longest)
    return top
  }
}

/** What an escape stands for, times 64, and how many characters it has behind the sign that opens it. 0 if it is none. */
function escapeAt(chars: Uint8Array, start: number, opening: number): number {
  const first = chars[start] as number
  if (opening === percent) return first === u ? hexAt(chars, start, 1, 4) : hexAt(chars, start, 0, 2)
  if (opening === backslash) {
    if (first === x) return hexAt(chars, start, 1, 2)
    if (first !== u) return 0
    return chars[start + 1] === brace
      ? numberAt(chars, start, 2, 16, closingBrace)
      : hexAt(chars, start, 1, 4)
  }
  if (first !== hash) return nameAt(chars, start)
  const isHexadecimal = ((chars[start + 1] as number) | 32) === x
  return isHexadecimal ? numberAt(chars, start, 2, 16, semicolon) : numberAt(chars, start, 1, 10, semicolon)
}

function hexAt(chars: Uint8Array, start: number, from: number, length: number): number {
  let value = 0
  for (let at = start + from; at < start + from + length; at++)
    value = value * 16 + (digits[chars[at] as number] as number)
  return value < 0 ? 0 : value * 64 + from + length
}

/** Any digits, and what ends them: a semicolon may be missing. */
function numberAt(chars: Uint8Array, start: number, from: number, base: number, ending: number): number {
  let length = from
  let value = 0
  for (; length < mostLetters; length++) {
    const digit = digits[chars[start + length] as number] as number
    if (digit < 0 || digit >= base) break
    value = Math.min(value * base + digit, 0xffff)
  }
  const isEnded = chars[start + length] === ending
  if (length === from || !(isEnded || ending === semicolon)) return 0
  return value * 64 + (isEnded ? length + 1 : length)
}

/** The sign that a name stands for. Only `&amp` needs no semicolon. */
function nameAt(chars: Uint8Array, start: number): number {
  if (startsWith(chars, start, 'amp')) return ampersand * 64 + (chars[start + 3] === semicolon ? 4 : 3)
  let length = 0
  while (length < mostLetters && isLetter(chars[start + length] as number)) length++
  if (length < 2 || chars[start + length] !== semicolon) return 0
  for (const [name, code] of names)
    if (name.length === length && startsWith(chars, start, name)) return code * 64 + length + 1
  return anySign * 64 + length + 1
}

function startsWith(chars: Uint8Array, start: number, text: string): boolean {
  for (let index = 0; index < text.length; index++)
    if (!isSame(chars[start + index] as number, text.charCodeAt(index))) return false
  return true
}

function isSame(code: number, expected: number): boolean {
  return code === expected || (code === anySign && isSign(expected))
}

function inLatin(code: number): number {
  return code > 255 ? foreign : code
}

function isLetter(code: number): boolean {
  return (code | 32) >= 97 && (code | 32) <= 122
}

function isSign(code: number): boolean {
  return !isLetter(code) && (code < 48 || code > 57)
}
