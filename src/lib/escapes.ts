// How URLs, JavaScript with JSON, and HTML write a character, as a table: from a state, where each character leads.

const codeOf = (char: string): number => char.charCodeAt(0)
const percent = codeOf('%')
export const backslash = codeOf('\\')
const ampersand = codeOf('&')
export const semicolon = codeOf(';')
const hash = codeOf('#')
const zero = codeOf('0')
const [p, u, x] = [codeOf('p'), codeOf('u'), codeOf('x')]
const [brace, closingBrace] = [codeOf('{'), codeOf('}')]
/** Stands for any sign: what a name of HTML says. No text has this character. */
export const anySign = 1

const digits = '0123456789'
const hex = `${digits}abcdefABCDEF`
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** So much less than any digits are worth. */
const noDigit = -0x10000
/** The value of each hexadecimal digit by its code. */
const hexValues = /* @__PURE__ */ Int32Array.from({ length: 128 }, (_, code) => {
  const value = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(value) ? noDigit : value
})

// What a character does, unless it leads to another state.
/** Nothing: it is a zero before a number. */
export const drops = 32
export const completes = 33
/** It follows a number of HTML that has no semicolon. */
export const endsNumber = 34
/** It follows a backslash that only says to take it as it is. */
const endsBackslash = 35
/** No spelling of a secret has it. */
export const stops = 36
/** Added to a state: the character may be the last one of a secret, or belong to a number. */
export const looks = 64

/** The states behind the characters that begin an escape. */
const [inPercent, inBackslash, inAmpersand] = [1, 7, 16]
const [inDecimal, inHexadecimal] = [18, 20]
const states = 24

/** How many characters an escape has in a state, if it has the same number each time. */
const distances = [0, 1, 2, 2, 3, 4, 5, 1, 2, 3, 2, 3, 4, 5, 3]

/**
 * From a state, where a character leads: to another state, to the end of an escape, or nowhere. Any other one leads to 0. The
 * characters that begin an escape are not listed.
 */
const steps = [
  // %41 and %u0041
  '1 hex 2, 2 hex end, 1 u 3, 3 hex 4, 4 hex 5, 5 hex 6, 6 hex end',
  // \x41, \u0041 and \u{41}
  '7 x 8, 8 hex 9, 9 hex end, 7 u 10, 10 hex 11, 11 hex 12, 12 hex 13, 13 hex end',
  '10 { 14, 14 hex 15, 14 0 none, 15 hex 15, 15 } end',
  // &#65; and &#x41;
  '16 # 17, 17 digit 18, 17 0 none, 18 digit 18, 18 ; end',
  '17 x 19, 17 X 19, 19 hex 20, 19 0 none, 20 hex 20, 20 ; end',
  // &name; and &amp, which needs no semicolon
  '16 letter 21, 21 letter 21, 21 ; end',
  '16 a 22, 22 letter 21, 22 ; end, 22 m 23, 23 letter 21, 23 ; end, 23 p end',
]
const classes: Readonly<Record<string, string>> = { hex, digit: digits, letter: letters }

/** The steps by state and code, 128 of each state. Codes above have the last one. @param forms What is looked for. */
export function stepTable(forms: readonly string[]): Uint8Array {
  const table = new Uint8Array(states * 128)
  const change = (codes: Iterable<number>, to: (step: number) => number): void => {
    for (const code of codes)
      for (let place = Math.min(code, 127); place < table.length; place += 128)
        table[place] = to(table[place] as number)
  }
  for (const state of [inDecimal, inHexadecimal]) table.fill(endsNumber, state * 128, (state + 1) * 128)
  table.fill(endsBackslash, inBackslash * 128, (inBackslash + 1) * 128)
  // What follows may be escaped itself, so an escape ends nothing.
  change([percent], () => inPercent)
  change([backslash], () => inBackslash)
  change([ampersand], () => inAmpersand)
  for (const step of steps.join(', ').split(', ')) {
    const [from = '', chars = '', to = ''] = step.split(' ')
    const next = to === 'end' ? completes : to === 'none' ? drops : Number(to)
    for (const char of classes[chars] ?? chars) table[Number(from) * 128 + codeOf(char)] = next
  }
  if (forms.length === 0) return table
  const own = `${letters}${digits}%\\&#;{}${String.fromCharCode(anySign)}${forms.join('')}`
  const known = new Set(Array.from(own, (char) => Math.min(codeOf(char), 127)))
  const foreign = Array.from({ length: 128 }, (_, code) => code).filter((code) => !known.has(code))
  change(foreign, (step) => (step === endsNumber ? step : stops))
  const lasts = forms.map((form) => form.charCodeAt(form.length - 1))
  const looked = new Set([semicolon, ...lasts, ...(lasts.some(isSign) ? [anySign] : [])])
  change(looked, (step) => (step < drops ? step | looks : step))
  return table
}

/** The names of signs that begin, divide or end escapes. */
const signs = Object.entries({ amp: '&', AMP: '&', percnt: '%', bsol: '\\', num: '#', semi: ';' })
/** Longest name of a sign in HTML, in characters. */
export const longestName = 24

/** How many times escapes of a first sign may be escaped. */
const manyLayers = 16

export function isOpening(code: number): boolean {
  return code === percent || code === backslash || code === ampersand
}

/**
 * The escapes that are nearly all: those that a text has as they are, with `%25` or `&amp;` in place of their first sign.
 *
 * @returns The code that one stands for, times 64, and its length; 0 for none.
 */
export function escapeAt(text: string, start: number, opening: number): number {
  let at = start + 1
  const first = text.charCodeAt(at)
  if (opening === percent) {
    let byte = byteAt(text, at)
    while (byte === percent && at < start + 2 * manyLayers && byteAt(text, at + 2) >= 0)
      byte = byteAt(text, (at += 2))
    return found(byte, at + 2 - start)
  }
  if (opening === backslash) {
    if (first === x) return found(byteAt(text, at + 1), 4)
    if (first === u) return unitAt(text, at + 1)
    // A sign as it is, or a letter that says nothing of a secret.
    return isOpening(first) || Number.isNaN(first) ? 0 : found(first, 2)
  }
  if (first === hash) return numberAt(text, at + 1, 2)
  if (!isLetter(first)) return 0
  while (at < start + 2 * manyLayers && text.charCodeAt(at + 2) === p && text.startsWith('amp;', at)) at += 4
  const length = at - start
  const entity = text.charCodeAt(at) === hash ? numberAt(text, at + 1, length + 1) : nameAt(text, at, length)
  return entity === 0 && length > 1 ? found(ampersand, length) : entity
}

function found(code: number, length: number): number {
  return code < 0 ? 0 : (code << 6) | length
}

/** Two hexadecimal digits; negative if they are none. */
function byteAt(text: string, start: number): number {
  return (digitAt(text, start) << 4) + digitAt(text, start + 1)
}

function digitAt(text: string, index: number): number {
  const code = text.charCodeAt(index)
  return code < 128 ? (hexValues[code] as number) : noDigit
}

/** What follows `\u`: four digits, or some in braces. */
function unitAt(text: string, start: number): number {
  if (text.charCodeAt(start) !== brace) {
    const value = (byteAt(text, start) << 8) + byteAt(text, start + 2)
    return found(value, 6)
  }
  let value = 0
  for (let length = 1; length < 10; length++) {
    const digit = digitAt(text, start + length)
    if (digit >= 0) value = Math.min(value * 16 + digit, 0xffff)
    else return text.charCodeAt(start + length) === closingBrace && length > 1 ? found(value, length + 3) : 0
  }
  return 0
}

/** A number of HTML. @param before How many characters of the escape stand before it. */
function numberAt(text: string, start: number, before: number): number {
  const base = (text.charCodeAt(start) | 32) === x ? 16 : 10
  const offset = base === 16 ? 1 : 0
  let value = 0
  for (let length = offset; length < 16; length++) {
    const digit = digitAt(text, start + length)
    if (digit >= 0 && digit < base) {
      value = Math.min(value * base + digit, 0xffff)
      continue
    }
    if (length === offset) return 0
    const code = text.charCodeAt(start + length)
    if (code === semicolon) return found(value, before + length + 1)
    // An escape may stand for its next digit, or for its semicolon.
    return code === percent || code === backslash ? 0 : found(value, before + length)
  }
  return 0
}

/** A name of HTML. */
function nameAt(text: string, start: number, before: number): number {
  let length = 0
  while (length < longestName && isLetter(text.charCodeAt(start + length))) length++
  if (length === 0 || text.charCodeAt(start + length) !== semicolon) return 0
  return found(signOf(text, start, length), before + length + 1)
}

function signOf(text: string, start: number, length: number): number {
  if (length < 3 || length > 6) return anySign
  for (const [name, sign] of signs)
    if (name.length === length && text.startsWith(name, start)) return codeOf(sign)
  return anySign
}

/** Where the escape begins whose end is in a state. */
export function openingBefore(chars: Int32Array, length: number, state: number): number {
  const distance = distances[state] ?? 0
  if (distance > 0) return length - distance
  let index = length - 1
  for (let at = state; index > 0; at = (chars[index] as number) >> 16) {
    if (at === inPercent || at === inBackslash || at === inAmpersand) break
    index--
  }
  return index
}

/** What an escape stands for that is completed by a character, if parts of it were escapes. */
export function meaningOf(chars: Int32Array, open: number, length: number, code: number): number {
  const opening = (chars[open] as number) & 0xffff
  if (length - open === 2 && opening === percent)
    return hexValueOf(chars[open + 1] as number) * 16 + hexValueOf(code)
  const first = (chars[open + 1] as number) & 0xffff
  if (opening === ampersand) {
    if (first === hash) return numberIn(chars, open + 2, length)
    if (code === p) return ampersand
    if (length - open > longestName) return anySign
    return signOf(String.fromCharCode(...chars.subarray(open + 1, length)), 0, length - open - 1)
  }
  const start = open + (first === u || first === x ? 2 : 1)
  if (code === closingBrace) return valueIn(chars, start + 1, length, 16)
  return valueIn(chars, start, length, 16) * 16 + hexValueOf(code)
}

function hexValueOf(char: number): number {
  return hexValues[char & 0x7f] as number
}

/** A number of HTML. */
export function numberIn(chars: Int32Array, start: number, length: number): number {
  const isHexadecimal = (((chars[start] as number) & 0xffff) | 32) === x
  return isHexadecimal ? valueIn(chars, start + 1, length, 16) : valueIn(chars, start, length, 10)
}

function valueIn(chars: Int32Array, start: number, length: number, base: number): number {
  let value = 0
  for (let index = start; index < length; index++)
    value = Math.min(value * base + hexValueOf(chars[index] as number), 0xffff)
  return value
}

function isLetter(code: number): boolean {
  return (code | 32) >= 97 && (code | 32) <= 122
}

export function isSign(code: number): boolean {
  return !isLetter(code) && (code < zero || code > zero + 9)
}
