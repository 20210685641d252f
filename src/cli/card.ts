import { isRecord, valueAt } from '../lib/json.ts'
import { type FormatOptions, type Formatter, localTime } from './formatter.ts'
import { escapedForTerminal, styled } from './terminal.ts'
import { longestLine, wrap } from './text-layout.ts'

/** Formats single records as a label and a value on each line, without empty fields. */
export function createCard({ fields, width = 80 }: FormatOptions): Formatter {
  return { isStyled: true, page: (records) => records.map(show).join('\n') }

  function show(record: unknown): string {
    const rows = Object.entries(fields === undefined ? bodyOf(record) : picked(record, fields))
      .map(
        ([name, value]) =>
          [labelOf(name), value === false ? 'no' : value === true ? 'yes' : textOf(value)] as const,
      )
      .filter(([, text]) => text !== '')
    const start = 2 + Math.max(0, ...rows.map(([label]) => label.length))
    const lines = rows.map(([label, text]) => {
      // An address stays in one piece, so that it can be opened.
      const room = /^https?:/.test(text) ? Infinity : Math.max(20, Math.min(width, longestLine) - start)
      const value = wrap(escapedForTerminal(text), room)
      return `${styled('dim', label.padEnd(start))}${value.replaceAll('\n', `\n${' '.repeat(start)}`)}\n`
    })
    return lines.join('')
  }
}

/** The only object in an answer, such as its `company`, or else the answer. */
function bodyOf(record: unknown): object {
  const fields = Object.entries(Object(record) as object).filter(([name]) => name !== 'requestId')
  const body = Object.fromEntries(fields) as Record<string, unknown>
  const [only, ...others] = Object.values(body)
  return others.length === 0 && isRecord(only) ? only : body
}

/** The fields of a record that a user names, by their paths. */
export function picked(record: unknown, fields: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, valueAt(record, field.split('.')) ?? null]))
}

/** `Employee count` for `employeeCount`. */
function labelOf(path: string): string {
  const name = path.split('.').at(-1) ?? path
  const words = name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const label = words.slice(0, 1).toUpperCase() + words.slice(1)
  return escapedForTerminal(label.replaceAll(/\b(id|url)\b/gi, (word) => word.toUpperCase()))
}

/** Values in an object say enough without their names, unless they are true or false. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join('; ')
  if (isRecord(value)) return Object.values(value).map(textOf).filter(Boolean).join(', ')
  return typeof value === 'string' || typeof value === 'number' ? (localTime(value) ?? String(value)) : ''
}
