import { UsageError } from './command-errors.ts'
import { shortNames, withWholeName } from './names.ts'
import type { Command } from './shared-options.ts'

/** Each script asks `social-search completion -- WORDS` for what may come at the last word. */
const scripts: Readonly<Record<string, string>> = {
  bash: `_social_search() {
  local IFS=$'\\n'
  COMPREPLY=($(social-search completion -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _social_search social-search`,
  zsh: `#compdef social-search
_social_search() {
  local -a found
  found=("\${(@f)$(social-search completion -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  [[ -n "$found" ]] && compadd -a found || _files
}
compdef _social_search social-search`,
  fish: `complete -c social-search -a '(social-search completion -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'`,
}

export const shells = Object.keys(scripts)

export function completionScript(shell?: string): string {
  const script = scripts[shell ?? '']
  if (script === undefined) {
    const problem = shell === undefined ? 'a shell is missing' : `unknown shell ${shell}`
    throw new UsageError(`${problem}; expected one of ${shells.join(', ')}`)
  }
  return `${script}\n`
}

/** One line for each word that may stand in place of the last one. */
export function completions(program: Command, words: readonly string[]): string {
  const start = words.at(-1) ?? ''
  let command = program
  // These take the name of a command.
  const isNamed = ['help', 'quote'].includes(words[0] ?? '') && !start.startsWith('-')
  for (const word of withWholeName(words.slice(isNamed ? 1 : 0)).slice(0, -1))
    command = command.commands.find((each) => each.name() === word) ?? command
  const more = command === program ? Object.keys(shortNames) : []
  const before = command.options.find(({ long, required }) => required && long === words.at(-2))
  const options = start.startsWith('-') ? command.options.map(({ long }) => long ?? '') : []
  const found =
    before === undefined
      ? [...new Set([...command.commands.map((each) => each.name()), ...more, ...options])]
      : (before.argChoices ?? [])
  return found
    .filter((word) => word !== '' && word.startsWith(start))
    .map((word) => `${word}\n`)
    .join('')
}
