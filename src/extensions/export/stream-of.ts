/**
 * Returns a stream of the items of a walk. It fetches an item only when its reader asks for one, so it buys no page ahead, and
 * none after it is canceled.
 *
 * @example
 * streamOf(client.microblog.search({ query })).pipeThrough(toJsonl())
 */
export function streamOf<Item>(walk: AsyncIterable<Item>): ReadableStream<Item> {
  const items = walk[Symbol.asyncIterator]()
  return new ReadableStream<Item>(
    {
      async pull(controller) {
        const next = await items.next()
        if (next.done === true) controller.close()
        else controller.enqueue(next.value)
      },
      async cancel() {
        await items.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}
