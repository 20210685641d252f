import { jsonText } from '../lib/json.ts'
import type { ToolResult } from '../tools/index.ts'

/** A result as text for a model: what is known about it, a line each, and then its items as rows below their field names. */
export function resultText({
  ok,
  error,
  notice,
  items,
  record,
  counts,
  credits,
  ...facts
}: ToolResult): string {
  const failure =
    error && `failed (${error.code}; charged: ${error.charged}; stop: ${error.stop}): ${error.message}`
  const lines = [
    failure,
    Object.entries({ ...facts, ...credits })
      .map(([name, value]) => `${name}: ${value}`)
      .join(', '),
    notice,
    counts && `counts: ${jsonText(counts)}`,
    record && jsonText(record),
    items && itemsText(items),
  ]
  return lines.filter(Boolean).join('\n')
}

/** Items as JSON lists, so that no text can pass for another row; as objects if these are shorter, since few fields are shared. */
function itemsText(items: readonly Record<string, unknown>[]): string {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))]
  const rows = [names, ...items.map((item) => names.map((name) => item[name] ?? null))]
  const [asRows = '', asObjects = ''] = [rows, items].map((lines) =>
    lines.map((line) => jsonText(line)).join('\n'),
  )
  return asRows.length < asObjects.length ? asRows : asObjects
}
