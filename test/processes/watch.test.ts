import { expect, it } from 'vitest'
import { linesOf } from '../support/command-line.ts'
import { social, useCommand } from './command.ts'

useCommand()

const watch = 'watch coffee --yes --min-interval 2'

it('watch prints new posts until Ctrl-C', async () => {
  const { code, out } = await social(watch, {
    during: (child) => child.stdout?.once('data', () => child.kill('SIGINT')),
  })
  expect([code, linesOf(out).length]).toEqual([130, 20])
})
