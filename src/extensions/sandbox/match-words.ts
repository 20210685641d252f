/** A word: letters, digits and underscores, with an apostrophe inside. */
const wordPattern = /[\p{L}\p{M}\p{N}_]+(?:'[\p{L}\p{M}\p{N}_]+)*/gu

/** Scripts that are written without spaces, where a word may begin anywhere. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/**
 * Turns a text into its words in lower case, each line with a space before and after every word, so that
 * finding a phrase is finding a substring. A phrase never reaches over the end of a line.
 */
export function normalize(text: string): string {
  return fold(text)
    .split('\n')
    .map((line) => ` ${wordsOf(line).join(' ')} `)
    .join('\n')
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

/** Makes texts comparable: one form of accents and apostrophes, lower case, single spaces within a line. */
export function fold(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/[^\S\n]+/g, ' ')
}

function wordsOf(folded: string): string[] {
  return folded.match(wordPattern) ?? []
}
