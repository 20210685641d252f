import type { Operation } from '../../api/operation.ts'
import { operationOf } from '../../api/operations.ts'
import { itemsOf } from '../../api/list-items.ts'
import { InvalidResponseError } from '../../errors/index.ts'
import { type Call, type CallCredits, type Wrap, type Wrapping, wrap } from '../../extend.ts'
import type { Observer } from '../../index.ts'
import { patiently } from '../../lib/sqlite-file.ts'
import { RecordDatabase } from './record-database.ts'

/**
 * Keeps in a file all records that a client pays for, for `mcp`, where an agent chooses the calls.
 *
 * @param onError Hears of an answer that could not be kept; its caller has it all the same.
 * @throws {UsageError} for a file that cannot keep them.
 */
export async function keepAnswers(
  path: string,
  onError: (error: unknown) => void,
): Promise<Observer & Wrapping> {
  // A file without records could not be searched.
  const search = operationOf('microblog.search') as Operation
  ;(await RecordDatabase.open(path, { operation: search, jobs: [] })).close()
  const keep = async (call: Call, body: unknown, credits: CallCredits): Promise<void> => {
    const { list, price } = call.operation
    if (list !== undefined && price.kind !== 'free') await store(path, call, body, credits).catch(onError)
  }
  const kept: Wrap = (send) => async (call) => {
    try {
      const result = await send(call)
      await keep(call, result.body, result.credits)
      return result
    } catch (error) {
      if (error instanceof InvalidResponseError && error.charged === 'yes')
        await keep(call, error.body, call.record.credits)
      throw error
    }
  }
  return { [wrap]: () => kept }
}

async function store(
  path: string,
  { operation, request }: Call,
  body: unknown,
  credits: CallCredits,
): Promise<void> {
  // All pages belong to one search.
  const params = Object.entries(request.params).filter(([name]) => name !== operation.paging?.param)
  const job = { mcp: operation.id, params: Object.fromEntries(params) }
  const records = itemsOf(operation, body) ?? []
  const database = await RecordDatabase.open(path, { operation, jobs: [] })
  try {
    await patiently(() =>
      database.store({ job, progress: {}, records, credits: { ...credits, reserved: 0 } }),
    )
  } finally {
    database.close()
  }
}
