/**
 * The terms of a query, each of which must be in a text. `find` reads every text of a file, since no index of words knows all scripts:
 * words stand alone, but scripts without spaces have terms anywhere; case and accents do not matter, but signs do, as in C++.
 */

/** Scripts that put no spaces between words: a term may stand anywhere in a text. */
const withoutSpaces =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

/** Vowel signs that most writers of Arabic and Hebrew leave out, and the stroke that makes a word longer. */
const optionalMarks =
  '\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc'

/** What a comparison leaves out, besides case: accents of letters that have them, and the forms of emoji. */
const ignored = new RegExp(`[\\u0300-\\u036f\\ufe0e\\ufe0f${optionalMarks}]`, 'g')

/** What a word consists of. */
const part = String.raw`[\p{L}\p{N}\p{Mn}\p{Mc}\p{Co}]`

/** Signs that tell one word from another, as in C++, C# and #tag. Others may be missing, such as the \`@\` of a handle. */
const symbol = String.raw`[\p{S}#%&]`

const parts = new RegExp(`(${part}+)|(${symbol}+)`, 'gu')

/** A word or a phrase of a query. */
export interface Term {
  readonly text: string
  /** Whether a text has it. */
  isIn(text: string): boolean
}

/** The terms of a query: `"two words"` stand together, and `word*` is the start of a word. */
export function termsOf(query: string): Term[] {
  return [...query.matchAll(/"([^"]*)"|([^\s"]+)/g)].flatMap(([, phrase, word = '']) => {
    const isPrefix = word.endsWith('*')
    const text = phrase ?? (isPrefix ? word.slice(0, -1) : word)
    return text.trim() === '' ? [] : [termOf(text, isPrefix)]
  })
}

function termOf(text: string, isPrefix: boolean): Term {
  const plain = comparable(text)
  const hasWords = new RegExp(part, 'u').test(plain)
  if (!hasWords || withoutSpaces.test(text))
    return { text, isIn: (other) => comparable(other).includes(plain) }
  // Korean adds particles to a word.
  const pattern = patternOf(plain, isPrefix || /\p{sc=Hangul}$/u.test(plain))
  return { text, isIn: (other) => pattern.test(comparable(other)) }
}

/** A text without what a comparison leaves out. */
function comparable(text: string): string {
  // Most texts have nothing of it.
  if (/^[\0-\x7f]*$/.test(text)) return text.toLowerCase()
  return text.normalize('NFD').replaceAll(ignored, '').normalize('NFC').toLowerCase()
}

/** The words and signs of a term in their order, not in the middle of others. */
function patternOf(plain: string, isStart: boolean): RegExp {
  const found = [...plain.matchAll(parts)]
  const pieces = found.map(({ 0: piece, 1: word, index }, at) => {
    const before = found[at - 1]
    if (before === undefined || before.index + before[0].length === index) return escaped(piece)
    // Before a word, signs may be missing from the term. A gap ends at one place only, or a text of signs would be read in too many ways.
    const sign = word === undefined ? symbol : before[2] && escaped(before[2])
    const end = [part, sign].filter(Boolean).join('|')
    return `(?:(?!${end}).)+${escaped(piece)}`
  })
  // `C+` is not in `C++`.
  const edge = (at: 0 | -1): string => {
    const [piece = '', word] = found.at(at) ?? []
    return word === undefined ? escaped(Array.from(piece).at(at) ?? '') : part
  }
  // Korean and Japanese go on without a space.
  const end = edge(-1) === part ? `(?!(?![\\u2e80-\\u{10ffff}])${part})` : `(?!${edge(-1)})`
  return new RegExp(`(?<!${edge(0)})${pieces.join('')}${isStart ? '' : end}`, 'su')
}

function escaped(piece: string): string {
  return piece.replaceAll(/[$+^|]/g, String.raw`\$&`)
}
