/**
 * What differs. `operation_missing`, `field_missing`: this package knows it, the description does not have it;
 * `operation_unknown`, `field_unknown`: the other way round. `type`, `bound`, `enum`, `default`, `required`, `extra_fields`
 * (whether a request may have further fields), `error_status` and `credit_rate`: both have it and say different things.
 * `unreadable`: this part of the description cannot be compared. `shape_documented`: the description has a shape that
 * this package keeps open; news, and no breakage.
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

/** One difference between the service's description of itself and what this package takes it to be. */
export interface ContractDifference {
  kind: ContractDifferenceKind
  /** Id of the operation, such as `microblog.search`; null for what concerns none that this package knows. */
  operation: string | null
  /** Where: `request.filters.lang.maxLength`, `query.page`, `response.posts[].id`, `responses.503`, `POST /mentions`. */
  path: string
  /** What this package takes it to be; null where it says nothing. */
  assumed: unknown
  /** What the description says; null where it says nothing. Somebody else's data: look before you print. */
  published: unknown
}

/** A difference within one operation. */
export type Finding = Omit<ContractDifference, 'operation'>
