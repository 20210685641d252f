/** A zod schema of this package. `social-search-sdk/schemas` exports the documented ones with the types of zod. */
export interface Schema<Value = unknown> {
  /** Internals of zod, which read and check the value. */
  readonly _zod: { readonly output: Value }
}

/** The shapes of an operation that the service documents: schemas, with the types of the interfaces that they check. */
export function documented<Params, Body>(request: Schema<Params>, response: Schema<Body>) {
  return { documented: true, request, response } as const
}
