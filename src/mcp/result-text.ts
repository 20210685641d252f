import { jsonText } from '../lib/json.ts'
import type { ToolResult } from '../tools/index.ts'

/** A result as text for a model. Its items are rows below their field names. */
export function resultText(result: ToolResult): string {
  const { error, notice, items, record, counts, credits } = result
  const facts = Object.entries({ ...result, ok: null, notice: null, ...credits })
  const lines = [
    error && `failed (${error.code}; charged: ${error.charged}; stop: ${error.stop}): ${error.message}`,
    facts.flatMap(([name, fact]) => (typeof fact === 'object' ? [] : `${name}: ${fact}`)).join(', '),
    notice,
    counts && `counts: ${jsonText(counts)}`,
    record && jsonText(record),
    items && itemsText(items),
  ]
  return lines.filter(Boolean).join('\n')
}

/** Items as JSON, so that no text can pass for another item: as lists, unless objects are shorter, since few fields are shared. */
function itemsText(items: readonly Record<string, unknown>[]): string {
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))]
  const rows = [names, ...items.map((item) => names.map((name) => item[name] ?? null))]
  const texts = [rows, items].map((lines) => lines.map((line) => jsonText(line)).join('\n'))
  return texts.sort((a, b) => a.length - b.length)[0] ?? ''
}
