import { extname } from 'node:path'
import paramTexts from '../extensions/tools/param-texts.json' with { type: 'json' }
import { type JsonSchema, jsonSchemaOf } from '../api/schema/json-schema.ts'
import type { Operation } from '../api/operation.ts'
import { boundOf } from '../api/price.ts'
import { isRecord, isRounded, parsed } from '../lib/json.ts'
import { wholeNumber } from '../errors/check-options.ts'
import { maxTimerMs, parseTime } from '../lib/time.ts'
import { UsageError } from './command-errors.ts'
import { kebab, positionalOf } from './command-names.ts'
import type { PagedOptions } from '../index.ts'
import { type BudgetFlag, periodForms, termsIn } from './period-budget.ts'

/** Flags that commands share, as they are read where they are declared. */
export interface SharedFlags {
  readonly params?: Record<string, unknown>
  readonly extraParams?: Record<string, unknown>
  readonly budget?: BudgetFlag
  readonly perMinute?: number | false
  readonly costLabel?: string
  readonly sandbox?: boolean
  readonly all?: boolean
  readonly yes?: boolean
  readonly maxPages?: number
  readonly limit?: number
  readonly expect?: number
  readonly format?: string
  readonly fields?: string
  readonly out?: string
  readonly resume?: boolean
}

/** A documented param of an operation as a flag. */
export interface ParamFlag {
  /** `--sort-by`. */
  readonly name: string
  /** Its name in the parsed options: `sortBy`. */
  readonly attribute: string
  readonly path: readonly string[]
  readonly schema: JsonSchema
  readonly help: string
}

export function paramFlags(operation: Operation): ParamFlag[] {
  return flagsOf(operation, jsonSchemaOf(operation.request), []).filter(
    ({ path }) => path[0] !== positionalOf(operation),
  )
}

export function paramTextOf({ id }: Operation, path: string): string | undefined {
  const texts = (paramTexts as Readonly<Record<string, Readonly<Record<string, string>>>>)[id]
  const text = texts?.[path]?.replaceAll(/`|\.$/g, '')
  // Help is in lower case, apart from names such as BCP 47.
  return text?.replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase())
}

function flagsOf(
  operation: Operation,
  { properties = {} }: JsonSchema,
  parents: readonly string[],
): ParamFlag[] {
  return Object.entries(properties).flatMap(([param, schema]) => {
    const path = [...parents, param]
    if (schema.properties !== undefined) return flagsOf(operation, schema, path)
    const name = kebab(param)
    const attribute = name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    const text = paramTextOf(operation, path.join('.'))
    const isPlain = text !== undefined && (schema.type === 'boolean' || schema.enum !== undefined)
    const bounds = helpOf(schema)
    const help = isPlain || bounds === '' ? (text ?? '') : [text, `(${bounds})`].join(' ').trim()
    return [{ name: `--${name}`, attribute, path, schema, help }]
  })
}

/** Type and bounds: `integer, 1 to 20, default 20`. */
function helpOf(schema: JsonSchema): string {
  const { type, items, maxItems, default: value } = schema
  const parts =
    items === undefined
      ? type === 'string'
        ? []
        : [String(type)]
      : [`up to ${maxItems ?? 'any number'}, each ${helpOf(items)}`]
  const { minLength, maxLength, minimum, maximum } = schema
  const length = rangeOf(minLength, maxLength)
  const range = rangeOf(minimum, maximum)
  if (length !== null) parts.push(`${length} characters`)
  if (range !== null) parts.push(range)
  if (value !== undefined) parts.push(`default ${value}`)
  return parts.join(', ')
}

function rangeOf(min: number | undefined, max: number | undefined): string | null {
  if (max === undefined) return min === undefined ? null : `at least ${min}`
  return min === undefined ? `at most ${max}` : `${min} to ${max}`
}

/** Builds the params of a call from the argument and the flags, which override `--params`. */
export function paramsOf(
  operation: Operation,
  flags: SharedFlags,
  positional?: string,
): { params: Record<string, unknown>; id: string | undefined } {
  const params = { ...flags.params }
  const name = positionalOf(operation)
  const isId = operation.pathId !== undefined
  if (positional !== undefined && !isId && name !== undefined) setParam(params, [name], positional)
  for (const { attribute, path, schema, name } of paramFlags(operation)) {
    const value = (flags as Readonly<Record<string, unknown>>)[attribute]
    if (value !== undefined) setParam(params, path, valueOf(name, value, schema))
  }
  return {
    params: { ...paramsToExpect(operation, flags.expect), ...params },
    id: isId ? positional : undefined,
  }
}

function objectOf(name: string, text: string): Record<string, unknown> {
  const value = parsed(text)
  if (value === undefined) throw new UsageError(`${name} must be JSON, such as '{"query":"typescript"}'`)
  if (!isRecord(value)) throw new UsageError(`${name} must be a JSON object`)
  if (isRounded(value, text))
    throw new UsageError(`${name} has an integer too long to be sent exactly; put it in quotes`)
  return value
}

function setParam(params: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    params[name] = value
    return
  }
  const inner = params[name] ?? {}
  if (!isRecord(inner)) throw new UsageError(`${name} in --params must be an object`)
  params[name] = inner
  setParam(inner, rest, value)
}

function valueOf(name: string, value: unknown, { type, items }: JsonSchema): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => valueOf(name, each, items ?? {}))
  return type === 'integer' || type === 'number' ? numberOf(name, value) : value
}

/** The number in a flag; its bounds are checked with the params. */
function numberOf(name: string, value: unknown): number {
  const text = String(value)
  if (/^-?\d+(\.\d+)?$/.test(text)) return Number(text)
  throw new UsageError(`${name} must be a number, got ${JSON.stringify(text)}`)
}

function wholeNumberOf(name: string, value: string, max?: number): number {
  return wholeNumber(name, numberOf(name, value), max)
}

/** How far a walk goes: one page, unless a flag says more. */
export function walkOptions({ all, maxPages, limit }: SharedFlags): Pick<PagedOptions, 'maxPages' | 'limit'> {
  if (maxPages === undefined && limit === undefined) return all === true ? {} : { maxPages: 1 }
  if (all === true) throw new UsageError('--all contradicts --max-pages and --limit; leave out one of them')
  return { maxPages, limit }
}

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** The milliseconds of an age such as `90d` or `12h`. */
function ageOf(name: string, value: string): number {
  // No date lies further back than the longest.
  if (/^\d{1,5}[hd]$/.test(value) && durationOf(name, value) > 0) return durationOf(name, value)
  throw new UsageError(`${name} must be days or hours, such as 90d or 12h, got ${value}`)
}

function durationOf(name: string, value: string): number {
  const [, amount = value, unit = 's'] = /^(.*\d)([smhd])$/.exec(value) ?? []
  return numberOf(name, amount) * units[unit as keyof typeof units]
}

/** The milliseconds of a flag such as `90s`, `30m`, `1h` or `7d`; without a unit, of seconds. */
export function millisecondsOf(name: string, value: string): number {
  const ms = durationOf(name, value)
  if (ms >= 1 && ms <= maxTimerMs) return ms
  throw new UsageError(`${name} must be from 0.001 to ${Math.floor(maxTimerMs / 1000)} seconds, got ${value}`)
}

/** The time in a flag or a variable; without a zone, in UTC. */
export function dateOf(name: string, value: string): Date {
  const time = parseTime(value)
  if (time >= 0) return new Date(time)
  throw new UsageError(`${name} must be a time such as 2026-11-20T18:00:00Z, got ${value}`)
}

/** The params that let as many items come as the user expects: the service's default may be lower. */
function paramsToExpect(operation: Operation, expected: number | undefined): Record<string, unknown> {
  const bound = boundOf(operation.price)
  if (!bound || expected === undefined || expected <= bound.default) return {}
  return { [bound.param]: Math.min(expected, bound.most) }
}

/** How the text of each flag is read, by its name. A flag means the same in every command. */
export const readers: Readonly<Record<string, (name: string, text: string) => unknown>> = {
  '--params': objectOf,
  '--extra-params': objectOf,
  '--limit': wholeNumberOf,
  '--max-pages': wholeNumberOf,
  // Somebody who expects nothing reserves for one.
  '--expect': (name, text) => (text === '0' ? 1 : wholeNumberOf(name, text)),
  '--budget'(name, text) {
    const terms = termsIn(text)
    if (terms !== undefined) return terms
    throw new UsageError(`${name} must be credits such as 20, or ${periodForms}; got ${text}`)
  },
  '--per-minute': (name, text) => (text === 'off' ? false : wholeNumberOf(name, text, 99_999)),
  '--cost-label'(name, text) {
    if (/^[\w.@:/-]{1,64}$/.test(text)) return text
    throw new UsageError(
      `${name} must be a name of letters, digits and any of _.@:/- (at most 64), got ${text}`,
    )
  },
  // The only kind of file that commands continue; `export` makes others of it.
  '--out'(name, text) {
    if (extname(text).toLowerCase() === '.db') return text
    throw new UsageError(
      `${name} needs a .db file, got ${text}; for another file, export it, or redirect the output: --format csv > FILE`,
    )
  },
  '--min-interval': millisecondsOf,
  '--keep': ageOf,
  '--older-than': ageOf,
  '--confirm-above': numberOf,
  '--growth': (name, text) => wholeNumberOf(name, text, 3600),
  '--now': dateOf,
  '--port'(name, text) {
    const port = numberOf(name, text)
    if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
    throw new UsageError(`${name} must be a whole number from 0 to 65535, got ${text}`)
  },
}
