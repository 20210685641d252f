import { expect, it, vi } from 'vitest'
import { readText } from '../../../src/core/http/send.ts'
import { Redactor } from '../../../src/lib/redact.ts'

/** A response whose body repeats a chunk and never ends. */
function endless(chunk: unknown, cancel: () => void): Response {
  return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk), cancel }))
}

const exchange = {
  redactor: new Redactor(),
  signal: new AbortController().signal,
  connectionError: (message: string) => new Error(message),
}

it('readText() cancels a body at its limit', async () => {
  const cancel = vi.fn()
  const { complete } = await readText(endless(new Uint8Array(2 ** 24), cancel), exchange)
  expect(complete).toBe(false)
  expect(cancel).toHaveBeenCalledOnce()
})

it('readText() cancels a body that is not made of bytes', async () => {
  const cancel = vi.fn()
  await expect(readText(endless(5, cancel), exchange)).rejects.toThrow('the connection failed')
  expect(cancel).toHaveBeenCalledOnce()
})
