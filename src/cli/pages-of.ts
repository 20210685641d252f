import type { SocialSearch } from '../client.ts'
import type { Operation } from '../api/operation.ts'
import type { OpenRecord } from '../api/undocumented.ts'
import { clientTransport } from '../core/call/transport.ts'
import type { PagedOptions } from '../core/options/types.ts'
import { PagedCall } from '../core/pages/paged-call.ts'

/** The pages of a walk, or the only answer of an operation without pages; none after the last page. */
export async function* pagesOf(
  client: SocialSearch,
  operation: Operation,
  { params, id, state }: { params: object; id: string | undefined; state?: { next: object | null } },
  options: PagedOptions,
): AsyncGenerator<OpenRecord> {
  if (state?.next === null) return
  const transport = clientTransport(client.transport)
  if (operation.paging === undefined)
    yield (await transport.request(operation, params, options, id)).body as OpenRecord
  else yield* new PagedCall<OpenRecord, unknown>(transport, operation, params, options).resume(state).pages()
}
