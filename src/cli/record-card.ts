import { isRecord } from '../lib/is-record.ts'
import { valueAt } from '../lib/value-at.ts'
import { type FormatOptions, type Formatter, lineAt, oneLine, styled } from './formatter.ts'
import { longestLine, widthOf, wrap } from './text-layout.ts'

/** Formats single records as a card: a line for each field that has a value, long texts wrapped. */
export function createRecordCards(options: FormatOptions): Formatter {
  const { fields, width = 80 } = options
  const card = (body: unknown): string => {
    const record = fields === undefined ? recordOf(body) : body
    const paths = fields ?? pathsOf(record, [])
    const lines = paths
      .map((path) => ({ name: oneLine(path, options), text: textAt(record, path, options) }))
      .filter(({ text }) => text !== '')
    const column = Math.max(0, ...lines.map(({ name }) => widthOf(name))) + 2
    const room = Math.max(20, Math.min(width, longestLine) - column)
    return lines
      .map(({ name, text }) => {
        const indent = `\n${' '.repeat(column)}`
        // An address stays in one piece, so that it can be opened.
        const value = /^\S+$/.test(text) ? text : wrap(text, room).replaceAll('\n', indent)
        return `${styled('bold', name, options)}${' '.repeat(column - widthOf(name))}${value}\n`
      })
      .join('')
  }
  return { isStyled: true, page: (records) => records.map(card).join('\n') }
}

/** A field in one line; of a list of records, a line for each with its texts and numbers. */
function textAt(record: unknown, path: string, options: FormatOptions): string {
  const value = valueAt(record, path.split('.'))
  if (!Array.isArray(value) || !value.some(isRecord)) return lineAt(record, path, options)
  const isShown = (each: unknown): boolean => ['string', 'number'].includes(typeof each)
  return value
    .map((item) =>
      oneLine(
        Object.values(Object(item) as object)
          .filter(isShown)
          .join(', '),
        options,
      ),
    )
    .join('\n')
}

/** The record in an answer, beside the id of the request; the answer itself if it has other fields. */
function recordOf(body: unknown): unknown {
  if (!isRecord(body)) return body
  const others = Object.entries(body).filter(([name]) => name !== 'requestId')
  const [[, only] = [], ...more] = others
  return isRecord(only) && more.length === 0 ? only : Object.fromEntries(others)
}

/** The paths of plain values and lists. A name with a dot cannot be in a path, so its parent is shown whole. */
function pathsOf(value: unknown, names: readonly string[]): string[] {
  const isLeaf = !isRecord(value) || names.length > 4 || Object.keys(value).some((name) => name.includes('.'))
  if (isLeaf) return names.length === 0 ? [] : [names.join('.')]
  return Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...names, name]))
}
