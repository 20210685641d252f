import { ConfigurationError } from '../../errors/index.ts'

/**
 * Walks several searches of one network, one after the other, and skips duplicates: posts with the same `id`, or the same
 * `urn` on the professional network. It keeps all ids in memory, but no posts.
 *
 * @throws {ConfigurationError} for an item without `id` and `urn`.
 * @example
 * for await (const post of unique(client.microblog.search({ query: 'rust' }), client.microblog.search({ query: 'go' }))) {}
 */
export async function* unique<Item>(
  ...walks: readonly AsyncIterable<Item>[]
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<unknown>()
  for (const walk of walks) {
    for await (const item of walk) {
      const id = idOf(item)
      if (seen.has(id)) continue
      seen.add(id)
      yield item
    }
  }
}

function idOf(item: unknown): string | number {
  const { id, urn } = Object(item) as { id?: unknown; urn?: unknown }
  for (const value of [id, urn]) if (typeof value === 'string' || typeof value === 'number') return value
  throw new ConfigurationError('unique() needs items with an id or a urn')
}
