const [percent, backslash, ampersand, hash, semicolon, brace] = [0x25, 0x5c, 0x26, 0x23, 0x3b, 0x7b]
const [closingBrace, u, x, space] = [0x7d, 0x75, 0x78, 0x20]
/** Most digits of a number, and letters of a name, so that none is looked at many times. */
const [mostDigits, mostLetters] = [32, 8]
/** Most characters that wait for the signs before them, so that a long text takes no more than 6 MB. */
const mostWaiting = 2 ** 20

/** The signs of ASCII that HTML has names for, by their names. */
const namedSigns: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ...{ excl: '!', quot: '"', num: '#', dollar: '$', percnt: '%', amp: '&', AMP: '&', apos: "'", lpar: '(' },
    ...{ rpar: ')', ast: '*', midast: '*', plus: '+', comma: ',', hyphen: '-', dash: '-', period: '.' },
    ...{ sol: '/', colon: ':', semi: ';', lt: '<', equals: '=', gt: '>', quest: '?', commat: '@', lsqb: '[' },
    ...{ lbrack: '[', bsol: '\\', rsqb: ']', rbrack: ']', Hat: '^', lowbar: '_', UnderBar: '_', grave: '`' },
    ...{ lcub: '{', lbrace: '{', verbar: '|', vert: '|', rcub: '}', rbrace: '}' },
  }),
)

/** What a text says, and where. */
export interface Reading {
  /** Its characters. */
  readonly codes: Uint16Array
  /** Where it was written that a form stands there, the last one first. */
  readonly spans: readonly Span[]
}

/** From where to where, in what was written. */
type Span = [start: number, end: number]

/** What an escape stands for, and how many characters it has behind the sign that opens it. */
interface Escape {
  readonly code: number
  readonly length: number
}

/**
 * Reads texts as their last reader sees them, however URLs, JavaScript with JSON, and HTML are written within each other. It begins
 * at the end: once it comes to the sign that opens an escape, it has read what follows, and puts in its place what the escape
 * stands for, which may open another one. It adds and removes each character once, so no text takes much longer than another.
 */
export class EscapeReader {
  /** What it looks for, the longest first. */
  readonly forms: readonly string[]
  /** Which two characters may begin a form. */
  readonly #beginnings = new Uint8Array(1024)
  /** Whether no form has a space. Then words without an escape are not read. */
  readonly #isOfWords: boolean

  constructor(forms: readonly string[] = []) {
    this.forms = forms
    this.#isOfWords = forms.length > 0 && !forms.some((form) => form.includes(' '))
    for (const form of forms) this.#beginnings[beginningOf(form.charCodeAt(0), form.charCodeAt(1))] = 1
  }

  read(written: string): Reading {
    const size = Math.min(written.length, mostWaiting)
    const codes = new Uint16Array(size)
    const starts = new Int32Array(size + 1)
    const beginnings = this.#beginnings
    const spans: Span[] = []
    let top = size
    starts[top] = written.length
    for (let index = written.length - 1; index >= 0; index--) {
      let code = written.charCodeAt(index)
      // No escape reaches beyond a space.
      if (code === space && this.#isOfWords) {
        index = endOfEscaped(written, index)
        top = size
        starts[top] = index
        continue
      }
      // JSON within JSON doubles them.
      if (code === backslash) while (written.charCodeAt(index - 1) === backslash) index--
      for (
        let escape = escapeAt(code, codes, top);
        escape !== undefined;
        escape = escapeAt(code, codes, top)
      ) {
        code = escape.code
        top += escape.length
      }
      if (top === 0) {
        // It forgets the far half: no escape is so long.
        top = size >> 1
        codes.copyWithin(top, 0)
        starts.copyWithin(top, 0)
      }
      // One that is left says nothing. It goes with what follows.
      if (code === backslash) {
        const last = spans.at(-1)
        if (last !== undefined && last[0] === starts[top]) last[0] = index
      } else codes[--top] = code
      starts[top] = index
      if (code === backslash || beginnings[beginningOf(code, codes[top + 1])] === 0) continue
      // A sign before it may take its first characters for an escape of its own, so it is found before that.
      const form = formAt(this.forms, codes, top)
      if (form !== undefined) spans.push([index, starts[top + form.length] ?? 0])
    }
    return { codes: codes.subarray(top), spans }
  }
}

/** The end of the last word before a space that has the sign of an escape; -1 if none has. */
function endOfEscaped(text: string, at: number): number {
  let end = at
  for (let index = at - 1; index >= 0; index--) {
    const code = text.charCodeAt(index)
    if (code === space) end = index
    else if (code === percent || code === backslash || code === ampersand) return end
  }
  return -1
}

function beginningOf(first: number, second = 0): number {
  return (first + 31 * second) & 1023
}

function formAt(forms: readonly string[], codes: Uint16Array, top: number): string | undefined {
  return forms.find((form) => {
    for (let at = 0; at < form.length; at++) if (codes[top + at] !== form.charCodeAt(at)) return false
    return true
  })
}

function escapeAt(opening: number, codes: Uint16Array, top: number): Escape | undefined {
  const next = codes[top]
  if (opening === percent) return hexAt(codes, top, next === u ? 1 : 0, next === u ? 4 : 2)
  if (opening === backslash) {
    if (next === x) return hexAt(codes, top, 1, 2)
    if (next !== u) return undefined
    return codes[top + 1] === brace ? numberAt(codes, top, 2, 16) : hexAt(codes, top, 1, 4)
  }
  if (opening !== ampersand) return undefined
  if (next !== hash) return nameAt(codes, top)
  return ((codes[top + 1] ?? 0) | 32) === x ? numberAt(codes, top, 2, 16) : numberAt(codes, top, 1, 10)
}

function hexAt(codes: Uint16Array, top: number, from: number, length: number): Escape | undefined {
  let code = 0
  for (let at = top + from; at < top + from + length; at++) code = code * 16 + digitOf(codes[at])
  return code >= 0 ? { code, length: from + length } : undefined
}

/** Any digits, and the sign that may end them. */
function numberAt(codes: Uint16Array, top: number, from: number, base: number): Escape | undefined {
  let length = from
  let code = 0
  for (; length < from + mostDigits; length++) {
    const digit = digitOf(codes[top + length])
    if (digit < 0 || digit >= base) break
    code = Math.min(code * base + digit, 0xffff)
  }
  if (length === from) return undefined
  const next = codes[top + length]
  return { code, length: next === semicolon || next === closingBrace ? length + 1 : length }
}

function nameAt(codes: Uint16Array, top: number): Escape | undefined {
  let name = ''
  while (name.length < mostLetters && isLetter(codes[top + name.length] ?? 0))
    name += String.fromCharCode(codes[top + name.length] ?? 0)
  const sign = codes[top + name.length] === semicolon ? namedSigns.get(name) : undefined
  if (sign !== undefined) return { code: sign.charCodeAt(0), length: name.length + 1 }
  return name.startsWith('amp') ? { code: ampersand, length: 3 } : undefined
}

/** So much less than any digits are worth, if it is none. */
function digitOf(code = 0): number {
  if (code >= 48 && code <= 57) return code - 48
  const letter = (code | 32) - 97
  return letter >= 0 && letter < 6 ? letter + 10 : -0x10000
}

function isLetter(code: number): boolean {
  return (code | 32) >= 97 && (code | 32) <= 122
}
