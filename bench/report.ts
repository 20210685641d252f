import type { Spread } from './turns.ts'

export interface Table {
  title: string
  head: readonly string[]
  rows: readonly (readonly string[])[]
}

/** Rounds to two or three significant digits. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return '-'
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

export function spreadText({ low, median, high }: Spread): string {
  return Number.isNaN(median) ? '-' : `${number(median)} (${number(low)} to ${number(high)})`
}

export function textTable({ title, head, rows }: Table): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
  return [title, ...[head, ...rows].map(line), ''].join('\n')
}

export function markdownTable({ title, head, rows }: Table): string {
  const line = (row: readonly string[]): string => `| ${row.join(' | ')} |`
  const rule = `| --- |${' --: |'.repeat(head.length - 1)}`
  return [`## ${title}`, '', line(head), rule, ...rows.map(line), ''].join('\n')
}
