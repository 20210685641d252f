import { jsonSchemaOf } from '../api/schema/json-schema.ts'
import type { Operation } from '../api/operation.ts'
import { kebab } from './names.ts'

/** The documented param that limits the items of an answer, such as `maxComments`. */
interface ItemBound {
  readonly param: string
  readonly default: number
  /** The highest value that the service takes. */
  readonly max: number
}

function boundOf({ price, request }: Operation): ItemBound | undefined {
  if (price.kind !== 'perItem' || price.ceiling === null) return undefined
  const { maximum = Infinity } = jsonSchemaOf(request).properties?.[price.ceiling.param] ?? {}
  return { ...price.ceiling, max: maximum }
}

/** The params that let as many items come as the user expects: the service's default may be lower. */
export function paramsToExpect(operation: Operation, expected: number | undefined): Record<string, unknown> {
  const bound = boundOf(operation)
  if (bound === undefined || expected === undefined || expected <= bound.default) return {}
  return { [bound.param]: Math.min(expected, bound.max) }
}

/**
 * Says that a job got as many items as its params allow, and how to get those that are missing; undefined if none is.
 *
 * @param total How many there are, if the service says so.
 */
export function missingText(
  operation: Operation,
  params: object,
  records: number,
  total: number | undefined,
): string | undefined {
  const bound = boundOf(operation)
  if (bound === undefined) return undefined
  const given = (params as Readonly<Record<string, unknown>>)[bound.param] ?? bound.default
  if (records < Number(given) || (total ?? Infinity) <= records) return undefined
  const { list = 'items' } = operation
  const got =
    total === undefined ? `Got ${records} ${list}; there may be more` : `Got ${records} of ${total} ${list}`
  if (records >= bound.max) return `${got}. The service returns at most ${bound.max}`
  const most = Math.min(total ?? bound.max, bound.max)
  const flag = `--${kebab(bound.param)} ${most}`
  return `${got}. To get ${total === most ? 'all' : `up to ${most}`}, pass ${flag}; you pay for the first ${records} again`
}
