import { operations } from '../api/operations.ts'
import { isNear } from '../lib/is-near.ts'
import { commandOf } from './flags.ts'
import { exampleCommand } from './help-texts.ts'

/** Commands that only have commands. */
const groups = new Set<string>(
  operations.filter(({ id }) => id.includes('.')).map(({ id }) => id.split('.')[0] ?? ''),
)

/** What is wrong with a command line that cannot be parsed. */
export function usageMessageOf(
  error: { readonly code: string; readonly message: string },
  args: readonly string[],
  commands: readonly string[],
  options: readonly string[],
): string {
  const message = error.message.replace(/^error: /, '')
  switch (error.code) {
    case 'commander.help':
      return 'a command is missing; see --help'
    case 'commander.excessArguments': {
      const operation = operations.find(({ id }) => args.join(' ').startsWith(`${commandOf(id)} `))
      if (operation?.documented === false)
        return `the service documents no params of ${operation.id}; pass JSON: ${exampleCommand(operation.id)}`
      return 'too many arguments; put several words in quotes, and pass other params as flags or with --params'
    }
    case 'commander.unknownOption': {
      if (args[0] === 'watch' && /'--cache\b/.test(message))
        return `${message}: watch polls the service, since stored answers have no new posts`
      const [, typed = ''] = /'(--[^'=]+)/.exec(message) ?? []
      const similar = options.find((name) => isNear(typed, name))
      return similar === undefined ? message : `${message}; did you mean ${similar}?`
    }
    case 'commander.unknownCommand': {
      const others = commands.filter((name) => !groups.has(name))
      return `${message}; ${didYouMean(args, others, 'social-search ')}`
    }
  }
  return message
}

/** Names what a user may mean, or where to look. */
export function didYouMean(words: readonly string[], others: readonly string[], before = ''): string {
  const similar = similarCommands(words, others).map((name) => before + name)
  return similar.length === 0 ? 'see social-search --help' : `did you mean ${similar.join(' or ')}?`
}

/** The commands that a user may mean, by their whole names; the likeliest first, at most three. */
function similarCommands(words: readonly string[], others: readonly string[]): string[] {
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
