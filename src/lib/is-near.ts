/** Whether two words differ in one place only, by up to two letters. */
export function isNear(word: string, other: string): boolean {
  if (word !== '' && word[0] === other[0]) return isNear(word.slice(1), other.slice(1))
  if (word !== '' && word.at(-1) === other.at(-1)) return isNear(word.slice(0, -1), other.slice(0, -1))
  return word.length < 3 && other.length < 3
}
