import { hash } from '../../../src/extensions/sandbox/random.ts'
import type { CallRecord, RequestRecord } from './records.ts'
import { type NetworkOptions, Trip } from './trip.ts'

export const baseUrl = 'https://simulated.example/v1'

/** Header that tells which call a request belongs to. */
export const callHeader = 'x-soak-call'

/** Plays fetch on the virtual clock: carries requests to the service, and loses some. */
export class Network {
  readonly #underWay = new Map<Trip, Request>()
  readonly #options: NetworkOptions

  constructor(options: NetworkOptions) {
    this.#options = options
  }

  readonly fetch = async (input: Request | string | URL, init?: RequestInit): Promise<Response> => {
    const request = input instanceof Request && init === undefined ? input : new Request(input, init)
    const signal = init?.signal ?? request.signal
    const call = this.#options.callOf(request.headers.get(callHeader) ?? '')
    const sent = this.#note(call, request)
    this.#options.onMoment(call, 'sent')
    Object.assign(sent, await questionOf(call, request))
    const trip = new Trip(this.#options, sent, signal)
    // Node aborts a request only as long as somebody holds it.
    this.#underWay.set(trip, request)
    return trip.run()
  }

  #note(call: CallRecord, request: Request): RequestRecord {
    const token = request.headers.get('authorization')?.replace('Bearer ', '') ?? null
    const record: RequestRecord = {
      ...{ call, part: call.part, mishap: 'success', page: 1, params: '', sentAt: performance.now(), token },
      ...{ arrivedAt: null, endedAt: null, evidence: 'unclear', status: null, charged: 0, isClean: false },
    }
    call.requests.push(record)
    const { trace, requests } = this.#options
    requests.push(record)
    if (!request.url.startsWith(`${baseUrl}/`)) trace.fail(`${call.id} went to ${request.url}`)
    if (token === null || !call.owner.credential.secrets.has(token))
      trace.fail(`${call.id} was sent without its token`)
    const { surface } = call.operation
    const closedUntil = call.owner.organization.closedUntil.get(surface ?? '') ?? 0
    if (surface !== null && performance.now() < closedUntil)
      trace.fail(`${call.id} was sent ${closedUntil - performance.now()} ms before ${surface} opens`)
    return record
  }
}

/** Reads from a request what it asks for: the position in the walk, and all of it in a short form. */
async function questionOf(
  { operation }: CallRecord,
  request: Request,
): Promise<Pick<RequestRecord, 'page' | 'params'>> {
  const { searchParams } = new URL(request.url)
  const body = operation.method === 'GET' ? JSON.stringify([...searchParams]) : await request.text()
  const parsed: unknown = JSON.parse(body)
  const sent = (Array.isArray(parsed) ? Object.fromEntries(searchParams) : parsed) as Record<string, unknown>
  const isCursor = operation.paging === 'cursor'
  const position = isCursor ? (sent['cursor'] as string | undefined)?.replace('cursor-', '') : sent['page']
  return { page: Number(position) || 1, params: hash(body).toString(36) }
}
