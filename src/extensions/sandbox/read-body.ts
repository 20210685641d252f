import { readBytes } from '../../lib/read-bytes.ts'

/** Largest request body that is read, in bytes. The service states no bound; this one is made up. */
const maxBodyBytes = 1024 * 1024

/** The body of a request. */
export type RequestBody =
  { readonly kind: 'json'; readonly value: unknown } | { readonly kind: 'not json' | 'too large' }

/** Reads the body of a request; rejects with the signal's reason if the caller aborts. */
export async function readBody(
  request: Request,
  parse: (text: string) => unknown = JSON.parse,
): Promise<RequestBody> {
  const bytes = await readBytes(request, maxBodyBytes).finally(() => request.signal.throwIfAborted())
  if (bytes === 'too large') return { kind: 'too large' }
  try {
    return { kind: 'json', value: parse(new TextDecoder().decode(bytes)) }
  } catch {
    return { kind: 'not json' }
  }
}
