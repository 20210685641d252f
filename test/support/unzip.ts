import { crc32, inflateRawSync } from 'node:zlib'

/** The texts in a ZIP file, by their names, as its directory has them. Fails for sizes or checksums that are wrong. */
export function unzip(file: Buffer): Readonly<Record<string, string>> {
  const end = file.lastIndexOf(Buffer.from('PK\u0005\u0006'))
  const texts: Record<string, string> = {}
  let at = file.readUInt32LE(end + 16)
  for (let left = file.readUInt16LE(end + 10); left > 0; left--) {
    const [crc, packed, size] = [16, 20, 24].map((offset) => file.readUInt32LE(at + offset))
    const length = file.readUInt16LE(at + 28)
    const name = file.toString('utf8', at + 46, at + 46 + length)
    const start = file.readUInt32LE(at + 42) + 30 + length
    const bytes = inflateRawSync(file.subarray(start, start + (packed ?? 0)))
    if (bytes.length !== size || crc32(bytes) !== crc) throw new Error(`${name} is damaged`)
    texts[name] = bytes.toString()
    at += 46 + length
  }
  return texts
}
