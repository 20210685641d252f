import { type Random, createRandom, hash } from '../../../src/extensions/sandbox/random.ts'
import type { Play, Scene } from './answers.ts'
import { drawMishap, revoked } from './mishaps.ts'
import type { CallRecord, RequestRecord } from './records.ts'
import type { Service } from './service.ts'
import type { Trace } from './trace.ts'

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

/** A moment in the life of a request at which the caller may abort. */
export type Moment = 'sent' | 'arrived' | 'headers' | 'body' | 'end'

interface NetworkOptions {
  readonly seed: string
  /** The fraction of requests that meet with misfortune. */
  readonly misfortune: number
  readonly service: Service
  /** Grows with each request. */
  readonly requests: RequestRecord[]
  readonly trace: Trace
  callOf(id: string): CallRecord
  onMoment(call: CallRecord, moment: Moment): void
}

/** Longest time on the way, in milliseconds: less than the client keeps the slot of an aborted request. */
const mostLatencyMs = 45

/** A closed surface opens after a day at the latest, whatever a server announces. */
const longestWaitMs = 86_400_000

/** One request on its way to the service and back. */
class Trip {
  readonly #options: NetworkOptions
  readonly #sent: RequestRecord
  readonly #signal: AbortSignal
  readonly #random: Random
  #hasArrived = false
  #hasLeft = false

  constructor(options: NetworkOptions, sent: RequestRecord, signal: AbortSignal) {
    this.#options = options
    this.#sent = sent
    this.#signal = signal
    this.#random = createRandom(`${options.seed}/${sent.call.id}/${sent.call.requests.indexOf(sent)}`)
  }

  #isAborted(): boolean {
    return this.#signal.aborted
  }

  async run(): Promise<Response> {
    const { call, token, page } = this.#sent
    const random = this.#random
    const drawn = drawMishap(random, this.#options.misfortune)
    const mishap = call.owner.credential.isRevoked(token ?? '') ? revoked : drawn
    const { operation, id, pages } = call
    const scene: Scene = { operation, id, page, pages, secret: token ?? '', random }
    const play = mishap.play(scene)
    this.#sent.mishap = mishap.name
    this.#say(`sends ${operation.id}, page ${page}: ${mishap.name}`)
    // A fetch that is aborted at once opens no connection.
    if (this.#isAborted()) throw this.#ended('is never sent', this.#signal.reason)
    if ('unsent' in play) {
      await this.#pass(random.integer(0, 30))
      const error: unknown = this.#ended('is not sent', play.unsent)
      // Aborted at the last moment, the client does not see the error.
      if (!this.#isAborted()) this.#sent.evidence = 'unsent'
      throw error
    }
    await this.#pass(this.#visit(play))
    if (play.answer === undefined) {
      if (play.end === 'stall') await this.#pass(Infinity)
      this.#leave()
      throw this.#ended('is reset', play.error)
    }
    return this.#answer(play, play.answer)
  }

  /**
   * What happens at the service, whether or not the client waits for it.
   *
   * @returns milliseconds until the client has the headers.
   */
  #visit({ charge }: Play): number {
    const random = this.#random
    const { service } = this.#options
    const arrival = random.integer(1, mostLatencyMs)
    const work = random.chance(0.1) ? random.integer(1000, 40_000) : random.integer(20, 900)
    const chargesForGone = random.chance(0.7)
    setTimeout(() => {
      this.#hasArrived = true
      service.arrive(this.#sent)
      if (this.#hasLeft) service.leave(this.#sent)
      this.#options.onMoment(this.#sent.call, 'arrived')
    }, arrival)
    setTimeout(
      () => {
        if (!this.#hasLeft || chargesForGone) service.charge(this.#sent, charge)
      },
      arrival + random.integer(0, work),
    )
    return arrival + work + random.integer(1, mostLatencyMs)
  }

  #answer(play: Play, { status, headers, body }: NonNullable<Play['answer']>): Response {
    this.#options.onMoment(this.#sent.call, 'headers')
    return new Response(this.#stream(play, body), { status, headers })
  }

  /** The body in some chunks, which come when they are asked for. */
  #stream(play: Play, body: string): ReadableStream<Uint8Array> {
    const bytes = new TextEncoder().encode(body)
    const { end } = play
    const whole = end === undefined ? bytes : bytes.subarray(0, this.#random.integer(0, bytes.length - 1))
    const size = Math.max(1, Math.ceil(whole.length / this.#random.integer(1, 4)))
    const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
      whole.subarray(index * size, (index + 1) * size),
    )
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      const chunk = chunks.shift()
      if (this.#random.chance(0.3)) await this.#pass(this.#random.integer(1, 50))
      if (chunk !== undefined) {
        controller.enqueue(chunk)
        this.#options.onMoment(this.#sent.call, 'body')
      } else if (end === 'stall') await this.#pass(Infinity)
      else if (end === 'reset') {
        this.#leave()
        throw this.#ended('is reset in the body', play.error)
      } else {
        this.#deliver(play)
        controller.close()
      }
    }
    return new ReadableStream({ pull, cancel: () => this.#goAway('is cancelled') }, { highWaterMark: 0 })
  }

  /** The client has everything. */
  #deliver({ isRefusal = false, isClean = false, answer }: Play): void {
    const status = answer?.status ?? 0
    const { operation, owner } = this.#sent.call
    this.#ended(`is answered ${status}`, undefined)
    this.#leave()
    // Aborted at the last moment: the client does not see the end.
    if (this.#signal.aborted) return
    this.#sent.evidence = isRefusal ? 'refused' : status >= 200 && status < 300 ? 'success' : 'unclear'
    this.#sent.isClean = isClean
    this.#sent.status = status
    if (isRefusal && status === 429 && operation.surface !== null) {
      const { closedUntil } = owner.organization
      const until = performance.now() + Math.min(longestWaitMs, (answer?.wait ?? 0) * 1000)
      closedUntil.set(operation.surface, Math.max(until, closedUntil.get(operation.surface) ?? 0))
    }
  }

  /** Lets time pass; rejects with the signal's reason as soon as it aborts. */
  #pass(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        clearTimeout(timer)
        this.#goAway('is aborted')
        reject(this.#signal.reason)
      }
      const timer =
        ms === Infinity
          ? undefined
          : setTimeout(() => {
              this.#signal.removeEventListener('abort', abort)
              resolve()
            }, ms)
      if (this.#signal.aborted) abort()
      else this.#signal.addEventListener('abort', abort, { once: true })
    })
  }

  /** The client goes; the service notices a moment later. */
  #goAway(how: string): void {
    if (this.#sent.endedAt !== null) return
    setTimeout(() => this.#leave(), this.#random.integer(0, mostLatencyMs))
    this.#ended(how, undefined)
  }

  #leave(): void {
    this.#hasLeft = true
    if (this.#hasArrived) this.#options.service.leave(this.#sent)
  }

  #ended<T>(how: string, result: T): T {
    if (this.#sent.endedAt === null) {
      this.#sent.endedAt = performance.now()
      this.#say(how)
      this.#options.onMoment(this.#sent.call, 'end')
    }
    return result
  }

  #say(what: string): void {
    const { call } = this.#sent
    this.#options.trace.add(`${call.id}#${call.requests.indexOf(this.#sent) + 1} ${what}`)
  }
}
