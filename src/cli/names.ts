/** Short names of the commands that are used most. `mentions` is also a group of commands. */
const shortNames: Readonly<Record<string, string>> = {
  search: 'microblog search',
  posts: 'professionalnet posts search',
  company: 'professionalnet company get',
  comments: 'professionalnet posts comments',
  mentions: 'mentions list',
}

/** The same words with the whole name of the command in place of a short one. */
export function withWholeName(words: readonly string[]): readonly string[] {
  const [first = '', second = '-'] = words
  if (!Object.hasOwn(shortNames, first)) return words
  const isGroup = first === 'mentions' && (!second.startsWith('-') || ['-h', '--help'].includes(second))
  return isGroup ? words : [...(shortNames[first] ?? '').split(' '), ...words.slice(1)]
}

/** The help of short names. */
export function shortNameHelp(): string {
  const lines = Object.entries(shortNames).map(([name, whole]) => `  ${name.padEnd(10)}${whole}`)
  return `\nShort names:\n${lines.join('\n')}`
}
