import { expect } from 'vitest'

/** Arguments, or a line of them, in which quotes keep words together. */
export type Line = string | readonly string[]

export function wordsOf(line: Line): readonly string[] {
  if (typeof line !== 'string') return line
  const words = line.match(/'[^']*'|"[^"]*"|\S+/g) ?? []
  return words.map((word) => word.replace(/^(['"])([^]*)\1$/, '$2'))
}

/** A run that has ended with this code, and says so. */
export const failed = (code: number, message: string) => ({
  code,
  err: expect.stringContaining(message) as unknown,
})

export const linesOf = (text: string): string[] => text.trimEnd().split('\n')

export const recordsOf = (text: string) =>
  linesOf(text).map((line) => JSON.parse(line) as Record<string, unknown> & { id: string })
