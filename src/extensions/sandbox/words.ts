/** The handles that a text mentions, in lower case. */
export function handlesIn(text: string): string[] {
  return Array.from(text.matchAll(/@(\w+)/g), ([, handle = '']) => handle.toLowerCase())
}

/** A word: letters, digits and underscores, with an apostrophe inside. */
const wordPattern = /[\p{L}\p{M}\p{N}_]+(?:'[\p{L}\p{M}\p{N}_]+)*/gu

/** Scripts that are written without spaces, where a word may begin anywhere. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Turns a text into its words in lower case, with a space before and after each, so that finding a phrase is finding a substring. */
export function normalize(text: string): string {
  return ` ${wordsOf(fold(text)).join(' ')} `
}

/** A test of whether normalized text holds every word of a query, in any order. A query without words finds nothing. */
export function containsAll(query: string): (normalized: string) => boolean {
  const tests = wordsOf(fold(query)).map(containsPhrase)
  return (normalized) => tests.length > 0 && tests.every((test) => test(normalized))
}

/** A test of whether normalized text holds the words of a phrase, next to each other. */
export function containsPhrase(phrase: string): (normalized: string) => boolean {
  const words = wordsOf(fold(phrase)).join(' ')
  if (words === '') return () => false
  const needle = unspaced.test(words) ? words : ` ${words} `
  return (normalized) => normalized.includes(needle)
}

/** Makes texts comparable: one form of accents and apostrophes, lower case, single spaces. */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('’', "'").replaceAll(/\s+/g, ' ')
}

function wordsOf(folded: string): string[] {
  return folded.match(wordPattern) ?? []
}
