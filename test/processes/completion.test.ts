import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { command, run, useCommand } from './command.ts'

useCommand()

it('completion completes the last word in bash, also if it is empty', async () => {
  const file = join(command.folder, 'complete.sh')
  writeFileSync(
    file,
    `social-search() { "$NODE" "$FILE" "$@"; }
eval "$(social-search completion bash)"
complete_words() {
  COMP_WORDS=(social-search "$@")
  COMP_CWORD=$#
  _social_search
  echo "\${COMPREPLY[@]}"
}
complete_words mentions s
complete_words microblog search --category ""`,
  )
  const env = { NODE: process.execPath, FILE: command.file }
  const { out } = await run({ ...command, file }, [], { env, program: 'bash' })
  expect(out).toBe('set-state\nTop Latest People Photos Videos\n')
})
