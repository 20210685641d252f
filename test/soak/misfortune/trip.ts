import { type Random, createRandom } from '../../../src/extensions/sandbox/random.ts'
import type { Play, Scene } from './answers.ts'
import { drawMishap, revoked } from './mishaps.ts'
import type { CallRecord, RequestRecord } from './records.ts'
import type { Service } from './service.ts'
import type { Trace } from './trace.ts'

/** A moment in the life of a request at which the caller may abort. */
export type Moment = 'sent' | 'arrived' | 'headers' | 'body' | 'end'

export interface NetworkOptions {
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
export class Trip {
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
