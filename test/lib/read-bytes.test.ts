import { describe, expect, it } from 'vitest'
import { readBytes } from '../../src/lib/read-bytes.ts'
import { collectGarbage } from '../support/garbage.ts'

/** A body of so many bytes, each in a separate chunk; tells when the last one is asked for. */
function dripping(bytes: number, onLast = () => {}): Response {
  let sent = 0
  const pull = (controller: ReadableStreamDefaultController): void => {
    if (sent === bytes) {
      controller.close()
      return
    }
    controller.enqueue(Uint8Array.of(sent))
    if (++sent === bytes) onLast()
  }
  return new Response(new ReadableStream({ pull }))
}

describe('readBytes()', () => {
  it.each([0, 1, 2, 3, 99, 100])('puts %i bytes together', async (length) => {
    const bytes = Uint8Array.from({ length }, (_, i) => i)
    expect(await readBytes(dripping(length), 100)).toEqual(bytes)
    expect(await readBytes(new Response(bytes), 100)).toEqual(bytes)
  })

  it('stops reading at the maximum size', async () => {
    expect(await readBytes(dripping(101), 100)).toBe('too large')
    expect(await readBytes(dripping(Infinity), 100)).toBe('too large')
  })

  it('reads a request without the property `body`, which Firefox does not have', async () => {
    const hello = (): Request => new Request('http://x/', { method: 'POST', body: 'hello' })
    const read = (max: number) => readBytes(Object.defineProperty(hello(), 'body', { value: undefined }), max)
    expect(await read(5)).toEqual(new TextEncoder().encode('hello'))
    expect(await read(4)).toBe('too large')
  })

  it('reads a stream that cannot be iterated over, as in WebKit', async () => {
    const { prototype } = ReadableStream
    const iterate = Object.getOwnPropertyDescriptor(prototype, Symbol.asyncIterator)!
    Reflect.deleteProperty(prototype, Symbol.asyncIterator)
    try {
      expect(await readBytes(dripping(3), 100)).toEqual(Uint8Array.of(0, 1, 2))
    } finally {
      Object.defineProperty(prototype, Symbol.asyncIterator, iterate)
    }
  })

  it('uses little more memory than the bytes, with chunks of any size', async () => {
    const before = collectGarbage()
    let held = Infinity
    const body = dripping(100_000, () => void (held = collectGarbage() - before))
    await readBytes(body, 2 ** 20)
    expect(held).toBeLessThan(3_000_000)
  })
})
