import { ToolRefusal, failureOf } from '../tools/failures.ts'
import type { ToolFailure, ToolResult } from '../tools/index.ts'
import type { CallToolResult } from './server.ts'

/** A result for a client: as text for a model, and as JSON. Both have items as rows, so that no row repeats the names. */
export function contentOf(result: ToolResult): CallToolResult {
  const { items = [], ...others } = result
  const fields = [...new Set(items.flatMap((item) => Object.keys(item)))]
  const rows = items.map((item) => fields.map((field) => item[field] ?? null))
  return {
    content: [{ type: 'text', text: textOf(others, rows.length === 0 ? [] : [fields, ...rows]) }],
    structuredContent: result.items ? { ...others, fields, items: rows } : others,
    isError: !result.ok,
  }
}

/** @param table JSON keeps each row in one line, so that no text can pass for another item. */
function textOf(result: Omit<ToolResult, 'items'>, table: readonly unknown[]): string {
  const { error, notice, record, counts, credits } = result
  const facts = Object.entries({ ...result, ok: null, notice: null, ...credits })
  const lines = [
    error && failureText(error),
    facts.flatMap(([name, fact]) => (typeof fact === 'object' ? [] : `${name}: ${fact}`)).join(', '),
    notice,
    counts && `counts: ${JSON.stringify(counts)}`,
    record && JSON.stringify(record),
    table.map((row) => JSON.stringify(row)).join('\n'),
  ]
  return lines.filter(Boolean).join('\n')
}

function failureText({ code, charged, applied, stop, message }: ToolFailure): string {
  const outcome = `charged: ${charged}${applied === undefined ? '' : `; applied: ${applied}`}`
  return `failed (${code}; ${outcome}; stop: ${stop}): ${message}`
}

/** What the protocol's library says when it could not ask a person, with the facts that each result has. Nothing was sent. */
export function withFacts(result: CallToolResult): CallToolResult {
  const error = new ToolRefusal('confirmation', 'the client could not ask a person, so nothing was sent')
  const credits = { spent: 0, uncertain: 0, remaining: null }
  return { ...result, ...contentOf({ ok: false, error: failureOf(error, true), credits }) }
}
