/** Largest request body that is read, in bytes. The service states no bound; this one is made up. */
export const maxBodyBytes = 1024 * 1024

/** What a request carried. */
export type RequestBody =
  { readonly kind: 'json'; readonly value: unknown } | { readonly kind: 'none' | 'not json' | 'too large' }

/** Reads the body of a request, or rejects with the signal's reason where the caller gave up. */
export async function readBody(
  request: Request,
  parse: (text: string) => unknown = JSON.parse,
): Promise<RequestBody> {
  const bytes = await request.arrayBuffer().catch((error: unknown) => {
    request.signal.throwIfAborted()
    throw error
  })
  request.signal.throwIfAborted()
  if (bytes.byteLength === 0) return { kind: 'none' }
  if (bytes.byteLength > maxBodyBytes) return { kind: 'too large' }
  try {
    return { kind: 'json', value: parse(new TextDecoder().decode(bytes)) }
  } catch {
    return { kind: 'not json' }
  }
}
