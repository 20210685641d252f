import { existsSync, writeFileSync } from 'node:fs'
import { count } from '../lib/count.ts'
import { isRecord } from '../lib/is-record.ts'
import { itemsOf } from '../api/list-items.ts'
import { answerCache } from './answer-cache.ts'
import { UsageError } from './command-errors.ts'
import {
  type SharedFlags,
  commandOf,
  operationNamed,
  paramsOf,
  wholeNumberOf,
  withoutStdout,
} from './flags.ts'
import { budgetOf, clientFor, pagesOf } from './options.ts'
import { quoteFor } from './quote.ts'
import { assertWritable } from './run-lock.ts'
import { print, tell } from './terminal.ts'

export interface InferFlags extends SharedFlags {
  readonly pages: string
  readonly id?: string
  readonly force?: boolean
}

/** Writes a zod schema of an undocumented answer, inferred from answers. */
export async function infer(words: readonly string[], flags: InferFlags): Promise<void> {
  const operation = operationNamed(words)
  const { id, documented, list } = operation
  const { out, force, budget, sandbox, offline } = withoutStdout(flags)
  if (documented) throw new UsageError(`${id} is documented; import its types and social-search-sdk/schemas`)
  if (out !== undefined && force !== true && existsSync(out))
    throw new UsageError(`${out} exists; pass --force to replace it, or another --out`)
  if (out !== undefined) assertWritable(out)
  const { params } = await paramsOf(operation, flags)
  const maxPages = wholeNumberOf('--pages', flags.pages)
  const { atMost, why } = quoteFor(operation, params, operation.paging ? flags : { ...flags, pages: '1' })
  const cost = atMost === null ? `no bound: ${why}` : atMost === 0 ? why : `at most ${atMost} credits: ${why}`
  if (atMost !== 0 && sandbox !== true && offline !== true && budget === undefined)
    throw new UsageError(`${cost}; pass --budget to agree`)
  tell(flags, cost)

  const answers = await answerCache(flags)
  const client = clientFor(flags, answers.options)
  const records: unknown[] = []
  const options = { maxPages, ...answers.use, budget: budgetOf(flags) }
  for await (const page of pagesOf(client, operation, { params, id: flags.id }, options))
    records.push(...(list === undefined ? [page] : (itemsOf(operation, page) ?? [])))
  answers.report(client)
  if (records.length === 0) throw new Error('no records came, so there is nothing to infer from')

  const name =
    list?.replace(/s$/, '') ?? id.replaceAll(/\.(\w)/g, (_, letter: string) => letter.toUpperCase())
  const type = name.charAt(0).toUpperCase() + name.slice(1)
  const source = count(records.length, sandbox === true ? 'made-up record' : 'record')
  const text = `// Inferred by \`social-search infer ${commandOf(id)}\` from ${source}.
// The service does not document these fields: others may come, and these may be missing.
import * as z from 'zod'

export const ${name} = ${schemaOf(records, '')}

export type ${type} = z.infer<typeof ${name}>
`
  if (out === undefined) await print(text)
  else {
    writeFileSync(out, text, { flag: force === true ? 'w' : 'wx' })
    tell(flags, `${out}: ${name} and ${type}, inferred from ${source}`)
  }
}

/** The schema that accepts all of the values, as source text. A field that some objects lack is optional. */
export function schemaOf(values: readonly unknown[], indent: string): string {
  const present = values.filter((value) => value !== null)
  const kinds = new Map<string, unknown[]>()
  for (const value of present) {
    const kind = Array.isArray(value) ? 'array' : typeof value
    kinds.set(kind, [...(kinds.get(kind) ?? []), value])
  }
  const schemas = [...kinds].map(([kind, values]) => {
    if (kind === 'array') return `z.array(${schemaOf((values as unknown[][]).flat(), indent)})`
    return kind === 'object' ? objectSchemaOf(values.filter(isRecord), indent) : `z.${kind}()`
  })
  if (schemas.length === 0) return 'z.unknown()'
  const schema = schemas.length === 1 ? schemas.join('') : `z.union([${schemas.join(', ')}])`
  return present.length < values.length ? `z.nullable(${schema})` : schema
}

function objectSchemaOf(objects: readonly Readonly<Record<string, unknown>>[], indent: string): string {
  const names = [...new Set(objects.flatMap((object) => Object.keys(object)))]
  const lines = names.map((name) => {
    const having = objects.filter((object) => Object.hasOwn(object, name))
    const schema = schemaOf(
      having.map((object) => object[name]),
      `${indent}  `,
    )
    const key = /^[A-Za-z_$][\w$]*$/.test(name) && name !== '__proto__' ? name : `[${JSON.stringify(name)}]`
    return `${indent}  ${key}: ${having.length < objects.length ? `z.optional(${schema})` : schema},\n`
  })
  return lines.length === 0 ? 'z.looseObject({})' : `z.looseObject({\n${lines.join('')}${indent}})`
}
