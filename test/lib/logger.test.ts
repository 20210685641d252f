import { expect, it } from 'vitest'
import { createLog } from '../../src/lib/logger.ts'
import { Redactor } from '../../src/lib/redactor.ts'

it('createLog() prepares no line when the logger has no method for its level', () => {
  let redactions = 0
  class CountingRedactor extends Redactor {
    override text(text: string): string {
      redactions++
      return super.text(text)
    }
  }
  const lines: unknown[] = []
  const log = createLog({ warn: (...line) => lines.push(line) }, new CountingRedactor())
  log?.('debug', 'sending', { operation: 'microblog.search' })
  expect(redactions).toBe(0)
  log?.('warn', 'attempt failed', { attempt: 1 })
  expect(lines).toEqual([['attempt failed', { attempt: 1 }]])
})
