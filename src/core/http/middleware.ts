/** The attempt that a middleware wraps. */
export interface MiddlewareContext {
  /** The operation, such as `microblog.search`. */
  readonly operation: string
  /** 1 for the first attempt. */
  readonly attempt: number
}

/**
 * Wraps every attempt, retries included. It may change the request except its origin, return its own response, or read
 * the response. The client adds the credential after the last middleware. Call `next` at most once: a second request
 * could be billed again.
 */
export type Middleware = (
  request: Request,
  next: (request: Request) => Promise<Response>,
  context: MiddlewareContext,
) => Promise<Response>

/** Chains middleware around `send`, the first one outermost. */
export function chain(
  middleware: readonly Middleware[],
  send: (request: Request) => Promise<Response>,
  context: MiddlewareContext,
): typeof send {
  return middleware.reduceRight<typeof send>((next, layer) => {
    return async (request) => {
      let called = false
      const once: typeof send = async (forwarded) => {
        if (called) throw new Error(`a middleware called next() twice in one attempt of ${context.operation}`)
        called = true
        return next(forwarded)
      }
      return layer(request, once, context)
    }
  }, send)
}
