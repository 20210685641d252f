/** What a middleware may know of the attempt that it is part of. */
export interface MiddlewareContext {
  /** The operation, such as `microblog.search`. */
  readonly operation: string
  /** 1 for the first attempt. */
  readonly attempt: number
}

/**
 * Wraps every attempt, retries included. It sees the request without the credential, which is added behind the
 * last middleware, and may change it, answer in its place, or look at the response; the URL's origin must stay.
 * `next` may be called once: a second send could be billed again.
 */
export type Middleware = (
  request: Request,
  next: (request: Request) => Promise<Response>,
  context: MiddlewareContext,
) => Promise<Response>

/** Chains middleware around the innermost send, the first one outermost. */
export function compose(
  middleware: readonly Middleware[],
  send: (request: Request) => Promise<Response>,
  context: MiddlewareContext,
): (request: Request) => Promise<Response> {
  return middleware.reduceRight<(request: Request) => Promise<Response>>((next, layer) => {
    return async (request) => {
      let called = false
      return layer(
        request,
        async (forwarded) => {
          if (called)
            throw new Error(`a middleware called next() twice in one attempt of ${context.operation}`)
          called = true
          return next(forwarded)
        },
        context,
      )
    }
  }, send)
}
