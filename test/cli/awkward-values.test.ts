import { beforeEach, describe, expect, it, vi } from 'vitest'
import { exitCodeOf } from '../../src/cli/command-errors.ts'
import { complain } from '../../src/cli/terminal.ts'
import { awkwardValues } from '../support/awkward-values.ts'

const written: string[] = []
beforeEach(() => {
  written.length = 0
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  return () => vi.restoreAllMocks()
})

describe.each(awkwardValues)('the command when code throws %s', (_, make) => {
  it('prints a message', () => {
    complain({}, make())
    expect(written[0]).toMatch(/^social-search: /)
  })

  it('prints JSON with --json', () => {
    complain({ json: true }, make())
    expect(JSON.parse(written[0] ?? '')).toMatchObject({ code: 'failed', message: expect.any(String) })
  })

  it('ends with code 1', () => {
    expect(exitCodeOf(make())).toBe(1)
  })
})
