import {
  anySign,
  backslash,
  completes,
  drops,
  endsNumber,
  escapeAt,
  isOpening,
  isSign,
  longestName,
  looks,
  meaningOf,
  numberIn,
  openingBefore,
  semicolon,
  stepTable,
  stops,
} from './escapes.ts'

/** Where something is in a text. */
export interface Place {
  readonly start: number
  end: number
}

/** Characters that are looked at one by one for the beginning of an escape, before the engine searches. */
const near = 32

/** Room for what is read between two clearings. */
const room = 1024

/**
 * Reads a text as its last reader sees it: in place of an escape is what it stands for, and if that completes another escape, the
 * same again. It adds and removes each character once, so no text takes much longer than another one.
 */
export class EscapeReader {
  readonly #forms: readonly string[]
  readonly #shortest: number
  /** How many characters a form or an escape may need. */
  readonly #longest: number
  readonly #table: Uint8Array
  // The end of what was read: the code of each character with the state behind it, and where it begins in the text.
  readonly #chars: Int32Array
  readonly #starts: Int32Array
  #length = 0
  #state = 0
  /** The index of a character to which a semicolon may still belong. */
  #unended = -1
  #found: Place[] = []

  /** @param forms What to find in texts, as their last reader sees it. */
  constructor(forms: readonly string[], size = room) {
    const lengths = forms.map(({ length }) => length)
    this.#forms = forms
    this.#shortest = Math.min(...lengths)
    this.#longest = Math.max(...lengths, 0) + 2 * longestName
    this.#table = stepTable(forms)
    // An escape of each character may wait for the end of the one before.
    this.#chars = new Int32Array(6 * this.#longest + size)
    this.#starts = new Int32Array(6 * this.#longest + size)
  }

  /** A text as its last reader sees it, without backslashes. It must not be longer than the given size. */
  read(text: string): string {
    this.#readWord(text, 0)
    // The last one is the end.
    return String.fromCharCode(...this.#chars.subarray(0, this.#length - 1)).replaceAll('\\', '')
  }

  /** The places of the forms in a text, where it has escapes: it reads the words that are long enough. */
  find(text: string): readonly Place[] {
    const { length } = text
    const table = this.#table
    const search = /[\\%&]/g
    const isOwn = (index: number): boolean => table[Math.min(text.charCodeAt(index), 127)] !== stops
    this.#found = []
    /** Up to where all characters may be of a form. */
    let ownEnd = 0
    for (let end = -1, index = 0; index < length; index = end + 1) {
      const nearEnd = Math.min(index + near, length)
      while (index < nearEnd && !isOpening(text.charCodeAt(index))) index++
      if (index === nearEnd) {
        search.lastIndex = index
        if (!search.test(text)) break
        index = search.lastIndex - 1
      }
      let start = index
      while (start > end + 1 && isOwn(start - 1)) start--
      const longEnd = start + this.#shortest
      ownEnd = Math.max(ownEnd, index + 1)
      while (ownEnd < longEnd && ownEnd < length && isOwn(ownEnd)) ownEnd++
      end = ownEnd < longEnd ? ownEnd : this.#readWord(text, start)
    }
    return this.#found
  }

  /** @returns Where it ends: at the end of the text, or at a character that no form has. */
  #readWord(text: string, from: number): number {
    const table = this.#table
    const chars = this.#chars
    const starts = this.#starts
    let length = 0
    let state = 0
    this.#unended = -1
    for (let index = from; index <= text.length; index++) {
      const start = index
      // The last one is the end of a number.
      let code = index < text.length ? text.charCodeAt(index) : 0
      if (isOpening(code)) {
        // JSON within JSON doubles them.
        if (code === backslash) while (text.charCodeAt(index + 1) === backslash) index++
        const escape = escapeAt(text, index, code)
        if (escape !== 0) {
          code = escape >> 6
          index += (escape & 63) - 1
        }
      }
      const step = table[(state << 7) | (code < 128 ? code : 127)] as number
      // Nearly all characters; the others take longer.
      if (step < drops && length < chars.length) {
        chars[length] = code | (step << 16)
        starts[length++] = start
        state = step
      } else if (step !== drops) {
        this.#length = length
        this.#state = state
        const isOwn = this.#take(code, start, index + 1)
        if (!isOwn && index === start) return index
        // If an escape says that the word ends, the next one begins.
        length = isOwn ? this.#length : 0
        state = isOwn ? this.#state : 0
      }
    }
    this.#length = length
    return text.length
  }

  /** Takes a character that may complete an escape or a form. @returns False if no form has it. */
  #take(given: number, from: number, to: number): boolean {
    let code = given
    let start = from
    let isUnended = false
    for (;;) {
      const step = this.#table[(this.#state << 7) | (code < 128 ? code : 127)] as number
      if (step === stops) return false
      if (step === drops) return true
      if (step < drops || step >= looks) {
        this.#add(code, start, to, step, isUnended)
        return true
      }
      const open = openingBefore(this.#chars, this.#length, this.#state)
      const first = this.#starts[open] as number
      if (step === endsNumber) {
        const number = numberIn(this.#chars, open + 2, this.#length)
        this.#removeFrom(open)
        this.#addNumber(number, first, start)
        continue
      }
      if (step === completes) {
        isUnended = code !== semicolon
        code = meaningOf(this.#chars, open, this.#length, code)
      }
      this.#removeFrom(open)
      start = first
    }
  }

  /** Adds what a number stands for that has no semicolon; it may complete an escape itself. */
  #addNumber(code: number, start: number, end: number): void {
    const before = this.#length
    this.#take(code, start, end)
    if (this.#length === before + 1) this.#unended = before
  }

  #removeFrom(index: number): void {
    this.#length = index
    this.#state = index === 0 ? 0 : (this.#chars[index - 1] as number) >> 16
    if (this.#unended >= index) this.#unended = -1
  }

  #add(code: number, start: number, end: number, step: number, isUnended: boolean): void {
    if (code === semicolon && this.#length > 0 && this.#unended === this.#length - 1) {
      this.#unended = -1
      return
    }
    if (this.#length === this.#chars.length) this.#forget()
    const index = this.#length++
    this.#state = step % looks
    this.#chars[index] = code | (this.#state << 16)
    this.#starts[index] = start
    if (isUnended) this.#unended = index
    if (step >= looks) this.#match(end)
  }

  #match(end: number): void {
    for (const form of this.#forms) {
      const first = this.#beginningOf(form)
      if (first < 0) continue
      const start = this.#starts[first] as number
      const latest = this.#found.at(-1)
      // A longer one may begin where a shorter one has.
      if (latest !== undefined && start < latest.end) latest.end = end
      else this.#found.push({ start, end })
    }
  }

  /** Where a form begins that has just ended; -1 if it has not. A backslash that is left says nothing. */
  #beginningOf(form: string): number {
    let index = this.#length
    for (let at = form.length - 1; at >= 0; at--) {
      let code: number
      do {
        if (index === 0) return -1
        code = (this.#chars[--index] as number) & 0xffff
      } while (code === backslash)
      const expected = form.charCodeAt(at)
      const isSame =
        code === expected || (code === anySign && isSign(expected)) || (expected === anySign && isSign(code))
      if (!isSame) return -1
    }
    return index
  }

  #forget(): void {
    for (const each of [this.#chars, this.#starts]) each.copyWithin(0, each.length - this.#longest)
    this.#length = this.#longest
    this.#unended = -1
  }
}
