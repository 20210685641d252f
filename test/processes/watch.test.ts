import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { linesOf, recordsOf } from '../support/command-line.ts'
import { command, server, social, useCommand, when } from './command.ts'

useCommand()

const fileOf = (name: string) => join(command.folder, name)
const watch = 'watch coffee --yes --freshness 2'

describe('watch', () => {
  it('prints new posts, keeps its state, and hands batches to a command', async () => {
    const [state, seen] = [fileOf('watch.json'), fileOf('seen.jsonl')]
    const writtenAt = () => statSync(state, { throwIfNoEntry: false })?.mtimeMs ?? 0
    /** Interrupts it while it waits for its second look. */
    const interrupted = (flags = '') => {
      const before = writtenAt()
      return social(`${watch} --state ${state} ${flags}`, {
        during: when(
          () => writtenAt() > before,
          (child) => child.kill('SIGINT'),
        ),
      })
    }
    const first = await interrupted(`--exec 'cat >> ${seen}'`)
    expect([first.code, linesOf(readFileSync(seen, 'utf8')).length]).toEqual([130, 20])
    const again = await interrupted()
    expect([again.code, again.out, server.requests.length]).toEqual([130, '', 2])
    writeFileSync(state, '{}')
    expect((await social(`${watch} --state ${state}`)).code).toBe(2)
  })

  it('passes a batch again if it was killed before the command has exited', async () => {
    const [state, seen] = [fileOf('killed.json'), fileOf('killed.jsonl')]
    const during = when(
      () => existsSync(seen),
      (child) => child.kill('SIGKILL'),
    )
    // The command goes on after the watch was killed, and ends on its own.
    const slow = `cat > ${seen}.new && mv ${seen}.new ${seen} && sleep 1`
    const killed = await social(`${watch} --state ${state} --exec '${slow}'`, { during })
    expect([killed.code, existsSync(state)]).toEqual([null, false])
    const { out } = await social(`watch coffee --freshness 0.2 --budget 2 --state ${state}`)
    expect(recordsOf(out).map(({ id }) => id)).toEqual(
      recordsOf(readFileSync(seen, 'utf8')).map(({ id }) => id),
    )
  })
})
