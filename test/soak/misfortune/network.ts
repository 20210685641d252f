import type { CallRecord, RequestRecord } from './records.ts'
import { type NetworkOptions, Trip } from './trip.ts'

export const baseUrl = 'https://simulated.example/v1'

/** Header that tells which call a request belongs to. */
export const callHeader = 'x-soak-call'

/** Plays fetch on the virtual clock: carries requests to the service, and loses some. */
export class Network {
  readonly requests: RequestRecord[] = []
  readonly #options: NetworkOptions

  constructor(options: NetworkOptions) {
    this.#options = options
  }

  readonly fetch = async (input: Request | string | URL, init?: RequestInit): Promise<Response> => {
    const request = input instanceof Request && init === undefined ? input : new Request(input, init)
    const signal = init?.signal ?? request.signal
    const call = this.#options.callOf(request.headers.get(callHeader) ?? '')
    signal.throwIfAborted()
    const sent = this.#note(call, request)
    this.#options.onMoment(call, 'sent')
    const page = await pageOf(call, request)
    return new Trip(this.#options, sent, signal, request).run(page)
  }

  #note(call: CallRecord, request: Request): RequestRecord {
    const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? null
    const record: RequestRecord = {
      ...{ call, part: call.part, mishap: 'success', page: 1, sentAt: performance.now(), token },
      ...{ arrivedAt: null, endedAt: null, evidence: 'unclear', status: null, charged: 0, isClean: false },
    }
    call.requests.push(record)
    this.requests.push(record)
    const { trace } = this.#options
    const path = new URL(request.url).pathname.replace(/^\/v1/, '')
    if (!request.url.startsWith(`${baseUrl}/`)) trace.fail(`${call.id} went to ${request.url}`)
    if (request.method !== call.operation.method || !call.operation.path.test(path))
      trace.fail(`${call.id} ${call.operation.id} sent ${request.method} ${path}`)
    if (token === null || !call.owner.secrets.has(token)) trace.fail(`${call.id} was sent without its token`)
    const { surface } = call.operation
    const closedUntil = call.owner.organization.closedUntil.get(surface ?? '') ?? 0
    if (surface !== null && performance.now() < closedUntil)
      trace.fail(`${call.id} was sent ${closedUntil - performance.now()} ms before ${surface} opens`)
    return record
  }
}

/** Reads the position in the walk from a request. */
async function pageOf({ operation }: CallRecord, request: Request): Promise<number> {
  const body = operation.method === 'GET' ? '' : await request.text()
  const { searchParams } = new URL(request.url)
  const sent = (body === '' ? Object.fromEntries(searchParams) : JSON.parse(body)) as Record<string, unknown>
  const isCursor = operation.paging === 'cursor'
  const position = isCursor ? String(sent['cursor'] ?? '').replace('cursor-', '') : sent['page']
  return Number(position) || 1
}
