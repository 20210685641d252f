import { jsonOf } from './fields.ts'

/**
 * A stream that turns records into JSON Lines, as UTF-8 bytes: one record a line, with all fields. What nests more than 500 levels deep
 * is `"…"`.
 *
 * The stream fails with a `ConfigurationError` for a record that is not JSON.
 *
 * @example
 * streamOf(client.microblog.search({ query })).pipeThrough(toJsonl())
 */
export function toJsonl(): TransformStream<unknown, Uint8Array> {
  const encoder = new TextEncoder()
  return new TransformStream<unknown, Uint8Array>({
    transform: (record, controller) => controller.enqueue(encoder.encode(`${jsonOf(record)}\n`)),
  })
}
