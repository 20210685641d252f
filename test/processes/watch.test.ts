import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { command, server, social, useCommand } from './served-command.ts'

useCommand()

describe('watch', () => {
  it('prints new posts, keeps its state, and hands batches to a command', async () => {
    const state = join(command.folder, 'watch.json')
    const seen = join(command.folder, 'seen.jsonl')
    const watch = (...args: string[]) => {
      const before = server.requests.length
      const flags = ['--yes', '--per-minute', 'off', '--every', '60', '--state', state]
      return social(['watch', 'coffee', ...flags, ...args], {
        during(child) {
          const timer = setInterval(() => {
            if (server.requests.length === before) return
            clearInterval(timer)
            setTimeout(() => child.kill('SIGINT'), 300)
          }, 5)
        },
      })
    }
    const first = await watch('--exec', `cat >> ${seen}`)
    expect([first.code, readFileSync(seen, 'utf8').trimEnd().split('\n').length]).toEqual([130, 20])
    const again = await watch()
    expect([again.code, again.out, server.requests.length]).toEqual([130, '', 2])
    writeFileSync(state, '{}')
    expect((await social(['watch', 'coffee', '--yes', '--state', state])).code).toBe(2)
  })

  it('buys nothing if its state cannot be written', async () => {
    const { code, err } = await social(['watch', 'coffee', '--yes', '--state', '/missing/state.json'])
    expect([code, err, server.requests.length]).toEqual([
      2,
      expect.stringContaining('the folder /missing does not exist'),
      0,
    ])
  })

  it('keeps its old state if the command fails', async () => {
    const state = join(command.folder, 'failed.json')
    const { code, err } = await social(['watch', 'coffee', '--yes', '--state', state, '--exec', 'exit 7'])
    expect([code, err]).toEqual([1, expect.stringContaining('ended with 7')])
    expect(() => readFileSync(state)).toThrow('ENOENT')
  })
})
