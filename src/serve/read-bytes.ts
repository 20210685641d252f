/**
 * Reads a body up to a bound. Of a larger one, no more is held than it took to see that, and of any one not its chunks,
 * since a byte can come in a chunk of its own.
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
