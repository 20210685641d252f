/**
 * Reads a body up to a maximum size. It stops when the body exceeds that, and copies each chunk, since every byte may
 * arrive in a chunk with its own overhead.
 */
export async function readBytes(
  { body }: Pick<Request, 'body'>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | 'too large'> {
  let bytes = new Uint8Array(0)
  let size = 0
  for await (const chunk of body ?? []) {
    const end = size + chunk.byteLength
    if (end > maxBytes) return 'too large'
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
