/**
 * Turns a search into a web stream, which fetches a page only when its reader asks for one. `pipeThrough()` and `pipeTo()` ask for one
 * item ahead: they buy the first page at once, and the next with the last item of a page. To pay for no page ahead, read it with `for await`.
 *
 * @example
 * streamOf(client.microblog.search({ query })).pipeThrough(toJsonl())
 */
export function streamOf<Item>(call: AsyncIterable<Item>): ReadableStream<Item> {
  const left = new AbortController()
  // A search hears that its reader has left: a page that waits in the queue is not sent any more.
  const iterate: (callerLeft: AbortSignal) => AsyncIterator<Item> = call[Symbol.asyncIterator]
  const items = iterate.call(call, left.signal)
  return new ReadableStream<Item>(
    {
      async pull(controller) {
        const next = await items.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      },
      async cancel() {
        left.abort()
        await items.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
