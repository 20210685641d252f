/**
 * The kind of a difference. `operation_missing`, `field_missing`: the description lacks it. `operation_unknown`,
 * `field_unknown`: this package lacks it. `type`, `bound`, `enum`, `default`, `required`, `extra_fields` (whether a
 * request may have further fields), `error_status` and `credit_rate`: both have it, and it differs. `unreadable`: this
 * part of the description cannot be compared. `shape_documented`: the description has a shape that this package leaves
 * open; nothing breaks.
 */
export type ContractDifferenceKind =
  | 'operation_missing'
  | 'operation_unknown'
  | 'field_missing'
  | 'field_unknown'
  | 'type'
  | 'bound'
  | 'enum'
  | 'default'
  | 'required'
  | 'extra_fields'
  | 'error_status'
  | 'credit_rate'
  | 'shape_documented'
  | 'unreadable'

/** One difference between the service's description and the contract of this package. */
export interface ContractDifference {
  kind: ContractDifferenceKind
  /** Id of the operation, such as `microblog.search`; null for one that this package does not have. */
  operation: string | null
  /**
   * The path of the difference: `request.filters.lang.maxLength`, `query.page`, `response.posts[].id`, `responses.503`,
   * `POST /mentions`.
   */
  path: string
  /** What this package assumes; null if it assumes nothing. */
  assumed: unknown
  /** What the description contains; null if nothing. It comes from the server, so check it before you print it. */
  published: unknown
}

/** Whether a difference may break calls; a newly documented shape breaks none. */
export function isBreakage({ kind }: ContractDifference): boolean {
  return kind !== 'shape_documented'
}

/** A difference within one operation. */
export type Finding = Omit<ContractDifference, 'operation'>

/** @param assumed Undefined stands for nothing, like null. */
export function finding(
  kind: ContractDifferenceKind,
  path: string,
  assumed: unknown,
  published: unknown,
): Finding {
  return { kind, path, assumed: assumed ?? null, published: published ?? null }
}
