/** A zod schema of this package. `social-search-sdk/schemas` exports the documented ones with the types of zod. */
export interface Schema<Value = unknown> {
  /** Internals of zod, which read and check the value. */
  readonly _zod: { readonly output: Value }
}
