import { operations } from '../api/operations.ts'
import { isNear } from '../errors/check-options.ts'
import { commandOf } from './flags.ts'

/** The commands that a user may mean, by their whole names; the likeliest first, at most three. */
export function similarCommands(words: readonly string[], others: readonly string[]): string[] {
  const end = words.findIndex((word) => word.startsWith('-'))
  const typed = (end === -1 ? words : words.slice(0, end)).slice(0, 3)
  const names = [...operations.map(({ id }) => commandOf(id)), ...others]
  const scored = names.map((name) => {
    const parts = name.split(' ')
    const matches = typed.filter((word) => parts.some((part) => part === word || isNear(word, part)))
    return { name, score: matches.length - parts.length / 10 }
  })
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, 3)
    .map(({ name }) => name)
}
