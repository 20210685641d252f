/**
 * Returns a stream of the items of a walk. It asks for an item when its reader does, so it buys no page ahead, and none after
 * it was canceled.
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
