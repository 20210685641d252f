import { type Random, createRandom, hash } from '../../../src/extensions/sandbox/random.ts'
import { checkArrival, checkSent } from './checks.ts'
import { type Answer, type Fault, type Scene, chargeFor, drawFault, revoked } from './faults.ts'
import type { CallRecord, RequestRecord, World } from './world.ts'

export const baseUrl = 'https://simulated.example/v1'

/** Header that tells which call a request belongs to. */
export const callHeader = 'x-soak-call'

/** Plays fetch on the virtual clock: carries requests to the service, and loses some. */
export function simulatedFetch(world: World): typeof globalThis.fetch {
  /** Node aborts a request only as long as somebody holds it. */
  const held = new Map<Trip, Request>()
  return async (input, init) => {
    const request = input instanceof Request && init === undefined ? input : new Request(input, init)
    const call = world.calls.get(request.headers.get(callHeader) ?? '') as CallRecord
    const sent: RequestRecord = {
      ...{ call, part: call.part, fault: 'success', page: 1, params: '', sentAt: performance.now() },
      token: request.headers.get('authorization')?.replace('Bearer ', '') ?? null,
      ...{ endedAt: null, evidence: 'unclear', status: null, retryAt: null, charged: 0 },
    }
    call.requests.push(sent)
    world.requests.push(sent)
    if (!request.url.startsWith(`${baseUrl}/`)) world.trace.fail(`${call.id} went to ${request.url}`)
    checkSent(sent, world.trace)
    call.plan?.reach('sent')
    Object.assign(sent, await questionOf(call, request))
    const trip = new Trip(world, sent, init?.signal ?? request.signal)
    held.set(trip, request)
    return trip.run()
  }
}

/** Reads from a request what it asks for: the position in the walk, and all of it in a short form. */
async function questionOf({ operation }: CallRecord, request: Request) {
  const query = Object.fromEntries(new URL(request.url).searchParams)
  const text = operation.method === 'GET' ? JSON.stringify(query) : await request.text()
  const { cursor, page } = JSON.parse(text) as { cursor?: string; page?: unknown }
  const position = operation.paging === 'cursor' ? cursor?.replace('cursor-', '') : page
  return { page: Number(position) || 1, params: hash(text).toString(36) }
}

/** Longest time on the way, in milliseconds: less than the client keeps the slot of an aborted request. */
const mostLatencyMs = 45

/** A closed surface opens after a day at the latest, whatever a server announces. */
const longestWaitMs = 86_400_000

/** One request on its way to the service and back. */
class Trip {
  readonly #world: World
  readonly #sent: RequestRecord
  readonly #signal: AbortSignal
  readonly #random: Random
  #hasArrived = false
  #hasLeft = false

  constructor(world: World, sent: RequestRecord, signal: AbortSignal) {
    this.#world = world
    this.#sent = sent
    this.#signal = signal
    this.#random = createRandom(`${world.seed}/${sent.call.id}/${sent.call.requests.indexOf(sent)}`)
  }

  async run(): Promise<Response> {
    const { call, token, page } = this.#sent
    const random = this.#random
    const { operation, id, pages } = call
    const drawn = drawFault(random, this.#world.misfortune)
    const fault = call.owner.credential.isRevoked(token ?? '') ? revoked : drawn
    const scene: Scene = { operation, id, page, pages, secret: token ?? '', random }
    const answer = fault.answer(scene)
    const { breaks, error, status, headers } = answer
    this.#sent.fault = fault.name
    this.#say(`sends ${operation.id}, page ${page}: ${fault.name}`)
    // A fetch that is aborted at once opens no connection.
    if (this.#signal.aborted) throw this.#ended('is never sent', this.#signal.reason)
    if (breaks === 'unsent') {
      await this.#pass(random.integer(0, 30))
      this.#ended('is not sent')
      // Aborted at the last moment, the client does not see the error.
      if (!this.#isAborted()) this.#sent.evidence = 'unsent'
      throw error
    }
    await this.#pass(this.#visit(random.chance(fault.charges) ? chargeFor(scene, answer.body) : 0))
    if (status === undefined) {
      if (breaks === 'stall') await this.#pass(Infinity)
      this.#leave()
      throw this.#ended('is reset', error)
    }
    call.plan?.reach('headers')
    return new Response(this.#stream(fault, answer), { status, headers: [...(headers ?? [])] })
  }

  /** By now. */
  #isAborted(): boolean {
    return this.#signal.aborted
  }

  /**
   * What happens at the service, whether or not the client waits for it.
   *
   * @returns milliseconds until the client has the headers.
   */
  #visit(charge: number): number {
    const random = this.#random
    const { call } = this.#sent
    const arrival = random.integer(1, mostLatencyMs)
    const work = random.chance(0.1) ? random.integer(1000, 40_000) : random.integer(20, 900)
    const chargesForGone = random.chance(0.7)
    setTimeout(() => {
      this.#hasArrived = true
      const { open } = call.owner.organization
      open.add(this.#sent)
      checkArrival(this.#sent, this.#world.trace)
      if (this.#hasLeft) open.delete(this.#sent)
      call.plan?.reach('arrived')
    }, arrival)
    setTimeout(
      () => {
        if (charge === 0 || (this.#hasLeft && !chargesForGone)) return
        this.#sent.charged += charge
        this.#say(`is charged ${charge}`)
      },
      arrival + random.integer(0, work),
    )
    return arrival + work + random.integer(1, mostLatencyMs)
  }

  /** The body in some chunks, which come when they are asked for. */
  #stream(fault: Fault, answer: Answer): ReadableStream<Uint8Array> {
    const { breaks, body, text = JSON.stringify(body), error } = answer
    const bytes = new TextEncoder().encode(text)
    const whole = breaks === undefined ? bytes : bytes.subarray(0, this.#random.integer(0, bytes.length - 1))
    const size = Math.max(1, Math.ceil(whole.length / this.#random.integer(1, 4)))
    const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
      whole.subarray(index * size, (index + 1) * size),
    )
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
      const chunk = chunks.shift()
      if (this.#random.chance(0.3)) await this.#pass(this.#random.integer(1, 50))
      if (chunk !== undefined) {
        controller.enqueue(chunk)
        this.#sent.call.plan?.reach('body')
      } else if (breaks === 'stall') await this.#pass(Infinity)
      else if (breaks === 'reset') {
        this.#leave()
        throw this.#ended('is reset in the body', error)
      } else {
        this.#deliver(fault, answer)
        controller.close()
      }
    }
    return new ReadableStream({ pull, cancel: () => this.#goAway('is cancelled') }, { highWaterMark: 0 })
  }

  /** The client has everything. */
  #deliver({ evidence }: Fault, { status = 0, wait = 0 }: Answer): void {
    const { operation, owner } = this.#sent.call
    this.#ended(`is answered ${status}`)
    this.#leave()
    // Aborted at the last moment: the client does not see the end.
    if (this.#signal.aborted) return
    Object.assign(this.#sent, { evidence, status })
    if (evidence !== 'refused') return
    const until = performance.now() + Math.min(longestWaitMs, wait * 1000)
    this.#sent.retryAt = until
    if (status !== 429 || operation.surface === null) return
    const { closedUntil } = owner.organization
    closedUntil.set(operation.surface, Math.max(until, closedUntil.get(operation.surface) ?? 0))
  }

  /** Lets time pass; rejects with the signal's reason as soon as it aborts. */
  #pass(ms: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        clearTimeout(timer)
        this.#goAway('is aborted')
        reject(this.#signal.reason)
      }
      const end = (): void => {
        this.#signal.removeEventListener('abort', abort)
        resolve()
      }
      const timer = ms === Infinity ? undefined : setTimeout(end, ms)
      if (this.#signal.aborted) abort()
      else this.#signal.addEventListener('abort', abort, { once: true })
    })
  }

  /** The client goes; the service notices a moment later. */
  #goAway(how: string): void {
    if (this.#sent.endedAt !== null) return
    setTimeout(() => this.#leave(), this.#random.integer(0, mostLatencyMs))
    this.#ended(how)
  }

  #leave(): void {
    this.#hasLeft = true
    if (this.#hasArrived) this.#sent.call.owner.organization.open.delete(this.#sent)
  }

  #ended(how: string, error?: unknown): unknown {
    if (this.#sent.endedAt === null) {
      this.#sent.endedAt = performance.now()
      this.#say(how)
      this.#sent.call.plan?.reach('end')
    }
    return error
  }

  #say(what: string): void {
    const { call } = this.#sent
    this.#world.trace.add(`${call.id}#${call.requests.indexOf(this.#sent) + 1} ${what}`)
  }
}
