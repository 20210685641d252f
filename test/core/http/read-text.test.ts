import { expect, it, vi } from 'vitest'
import { readText } from '../../../src/core/http/fetch.ts'

/** A response whose body repeats a chunk and never ends. */
function endless(chunk: unknown, cancel: () => void): Response {
  return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk), cancel }))
}

const { signal } = new AbortController()

it('readText() cancels a body that is not made of bytes', async () => {
  const cancel = vi.fn()
  await expect(readText(endless(5, cancel), signal)).rejects.toThrow(TypeError)
  expect(cancel).toHaveBeenCalledOnce()
})

it.each([
  ['removes a byte order mark', '\ufeff{}', '{}'],
  ['leaves a second one', '\ufeff\ufeff{}', '\ufeff{}'],
])('readText() %s, however the body is split', async (_, sent, expected) => {
  const bytes = new TextEncoder().encode(sent)
  for (let split = 0; split <= bytes.length; split++) {
    const start = (controller: ReadableStreamDefaultController): void => {
      controller.enqueue(bytes.slice(0, split))
      controller.enqueue(bytes.slice(split))
      controller.close()
    }
    const { text } = await readText(new Response(new ReadableStream({ start })), signal)
    expect([split, text]).toEqual([split, expected])
  }
})
