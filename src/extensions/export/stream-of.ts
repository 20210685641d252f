/**
 * Turns a search into a web stream. It fetches a page only when its reader asks for one, so you pay for no page ahead.
 *
 * @example
 * streamOf(client.microblog.search({ query })).pipeThrough(toJsonl())
 */
export function streamOf<Item>(call: AsyncIterable<Item>): ReadableStream<Item> {
  const items = call[Symbol.asyncIterator]()
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
