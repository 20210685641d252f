/**
 * Reads a body up to a maximum size. It stops when the body exceeds that, and copies each chunk, since every byte may
 * arrive in a chunk with its own overhead.
 */
export async function readBytes(
  request: Pick<Request, 'body' | 'arrayBuffer'>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | 'too large'> {
  // Not every browser has a `body` of requests, or can iterate over a stream.
  const { body } = request as Partial<Request>
  if (body === undefined) {
    const bytes = new Uint8Array(await request.arrayBuffer())
    return bytes.byteLength > maxBytes ? 'too large' : bytes
  }
  let bytes = new Uint8Array(0)
  let size = 0
  const reader = body?.getReader()
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    const chunk = part.value
    const end = size + chunk.byteLength
    if (end > maxBytes) {
      void reader?.cancel().catch(() => {})
      return 'too large'
    }
    if (end > bytes.byteLength) {
      const longer = new Uint8Array(Math.min(2 * end, maxBytes))
      longer.set(bytes)
      bytes = longer
    }
    bytes.set(chunk, size)
    size = end
  }
  return bytes.slice(0, size)
}
