import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { linesOf } from '../support/command-line.ts'
import { server, social, when } from './command.ts'
import { all, besides, cursors, newFile, undisturbed, useJobs } from './job.ts'

useJobs()

/** Kills the process when it has sent so many requests, and a moment of at most `ms` has passed. */
const killed = (requests: number, ms: number) => {
  const before = server.requests.length
  const during = when(
    () => server.requests.length >= before + requests,
    (child) => sleep(Math.random() * ms).then(() => child.kill('SIGKILL')),
  )
  return { during }
}

describe('--resume', () => {
  it.each([
    ['jsonl', 30],
    ['csv', 10],
  ])(
    'writes each post once, in order, to %s, when the process is killed %i times, and buys only the interrupted page again',
    async (format, times) => {
      const { text, pages } = await undisturbed(format, '--count 5')
      const out = newFile(format)
      const line = `${all} --count 5 --out ${out} --resume`
      let kills = 0
      // Some die while they start, most while they buy, read or write pages.
      const anyMoment = () => (kills % 10 === 0 ? killed(0, 100) : killed(1, 20))
      while (kills < times && (await social(line, anyMoment())).code === null) kills++
      await social(line)
      expect(readFileSync(out, 'utf8')).toBe(text)
      const bought = cursors().filter((cursor, index, all) => index === 0 || cursor !== all[index - 1])
      expect(bought).toEqual(pages)
      expect(kills).toBe(times)
      expect(besides(out)).toEqual(['.state.json'])
    },
    120_000,
  )

  it('finishes and writes the page under way on Ctrl-C, and says how to continue', async () => {
    const { text } = await undisturbed()
    const out = newFile()
    const during = when(
      () => server.requests.length >= 3,
      (child) => child.kill('SIGINT'),
    )
    const { code, err } = await social(`${all} --out ${out}`, { during })
    expect([code, err]).toEqual([130, expect.stringContaining('To continue: the same command with --resume')])
    const pages = server.requests.filter(({ charged }) => charged > 0).length
    expect(linesOf(readFileSync(out, 'utf8'))).toHaveLength(20 * pages)
    expect((await social(`${all} --out ${out} --resume`)).code).toBe(0)
    expect(readFileSync(out, 'utf8')).toBe(text)
  })
})
