import { isRecord } from '../../lib/is-record.ts'

/** Plain JSON of the option `extraParams`. */
export type ExtraParams = Readonly<Record<string, unknown>>

/** Params with extra ones. Two objects of one name are combined; in place of anything else, the extra value is sent. */
export function withExtra(params: ExtraParams, extra: ExtraParams): Record<string, unknown> {
  const added = Object.entries(extra).map(([name, value]) => {
    const known = own(params, name)
    return [name, isRecord(known) && isRecord(value) ? withExtra(known, value) : value] as const
  })
  // Unlike an assignment, it sets no prototype.
  return Object.fromEntries([...Object.entries(params), ...added])
}

/** Params without the extra ones, which are not checked: those of a next page have them. */
export function withoutExtra(params: ExtraParams, extra: ExtraParams): Record<string, unknown> {
  const kept = Object.entries(params).flatMap(([name, value]) => {
    if (!Object.hasOwn(extra, name)) return [[name, value] as const]
    const inner = extra[name]
    if (!isRecord(inner)) return []
    if (!isRecord(value)) return [[name, value] as const]
    const rest = withoutExtra(value, inner)
    return Object.keys(rest).length === 0 ? [] : [[name, rest] as const]
  })
  return Object.fromEntries(kept)
}

function own(params: ExtraParams, name: string): unknown {
  return Object.hasOwn(params, name) ? params[name] : undefined
}
