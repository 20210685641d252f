import type { Limits } from '../core/limits/limiter.ts'
import { driftMs } from '../core/limits/send-log.ts'
import { now } from '../core/lib/time.ts'
import { cancel, hold, rejoin, release, renew, sent, stateMs } from './limiter-scripts.ts'
import type { Link } from './link.ts'

/** What one process says to the others. */
export interface News {
  readonly surface: string | null
  /** For how long a 429 closed the surface, in milliseconds. */
  readonly hold?: number
  /** Redis has lost what everybody has told it. */
  readonly lost?: true
}

/** What one process knows of one surface, as of now. */
export interface Account {
  readonly surface: string | null
  /** Names of the sends that count, and how long ago they arrived, in milliseconds. */
  readonly sends: readonly (readonly [id: string, ago: number])[]
  /** For how long the surface is still closed, in milliseconds. */
  readonly holdMs: number
}

/** The longest time in which all processes notice that Redis is back and has lost everything, in milliseconds. */
const mostQuietMs = 3000

/** What one process knows of the organization's requests in Redis, and how it speaks of them. */
export class Fleet {
  readonly limits: Limits
  readonly leaseMs: number
  /** How long a send counts, from its arrival. */
  readonly spanMs: number
  /** How long Redis keeps what nobody uses. */
  readonly ttlMs: number
  /** How long nothing is granted when Redis has lost everything, in milliseconds. */
  readonly quietMs: number
  /** Names of this process's requests in flight. */
  readonly held = new Set<string>()
  readonly #link: Link
  readonly #base: Promise<string>
  readonly #onFailure: (error: unknown) => void
  readonly #onFree: () => void
  readonly #underWay = new Set<Promise<unknown>>()
  /** Leases that ended while Redis could not be told. */
  readonly #released = new Set<string>()
  readonly #self = crypto.randomUUID()
  readonly #reached = Promise.withResolvers<void>()
  #epoch = ''
  #contact = -Infinity
  #beat: ReturnType<typeof setTimeout> | undefined

  constructor(
    link: Link,
    base: Promise<string>,
    limits: Limits,
    leaseMs: number,
    { onFailure, onFree }: { onFailure: (error: unknown) => void; onFree: () => void },
  ) {
    this.#link = link
    this.#base = base
    this.limits = limits
    this.leaseMs = leaseMs
    this.spanMs = limits.windowMs + driftMs
    this.quietMs = Math.min(mostQuietMs, this.spanMs)
    this.ttlMs = 2 * (this.spanMs + leaseMs) + 10_000
    this.#onFailure = onFailure
    this.#onFree = onFree
  }

  /** The epoch that Redis is expected to be in; empty where what is known may have expired by itself. */
  get epoch(): string {
    return now() - this.#contact < stateMs / 2 ? this.#epoch : ''
  }

  /** Where all speak, once Redis has answered: who listens there knows what it has been told so far. */
  get channel(): Promise<string> {
    return this.#reached.promise.then(() => this.#base).then(channelOf)
  }

  /** What another process said; undefined for what this one said itself, and for what makes no sense. */
  read(message: string): News | undefined {
    try {
      const { from, ...news } = JSON.parse(message) as News & { from: string }
      return from === this.#self ? undefined : news
    } catch {
      return undefined
    }
  }

  /** Asks what is worth waiting for; rejects when Redis does not answer. */
  async ask(
    script: string,
    surface: string | null,
    args: readonly (string | number)[],
    { late, news }: { late?: (reply: unknown) => void; news?: News } = {},
  ): Promise<readonly unknown[]> {
    const base = await this.#base
    const message = news && [channelOf(base), JSON.stringify({ from: this.#self, ...news })]
    const at = surface === null ? 'all' : `at:${surface}`
    const names = ['leases', `log:${at}`, `gate:${at}`, 'state', `queue:${at}`, 'slots']
    const keys = names.map((name) => `${base}:${name}`)
    try {
      const reply = await this.#link.run(script, keys, [...args.map(String), ...(message ?? [])], late)
      return Array.isArray(reply) ? (reply as unknown[]) : [reply]
    } catch (error) {
      this.#onFailure(error)
      throw error
    }
  }

  /** What this process waits under for a place at a surface. */
  nameOf(surface: string | null): string {
    return `${this.#self} ${surface ?? ''}`
  }

  /** Redis has answered, and is in this epoch. */
  met(epoch = this.#epoch): void {
    this.#epoch = epoch
    this.#contact = now()
    this.#reached.resolve()
  }

  /** A request is in flight, until {@link Fleet.release} or {@link Fleet.cancel}. */
  enter(id: string): void {
    this.held.add(id)
    this.#keepAlive()
  }

  sent(surface: string | null, id: string, arrivalMs: number): void {
    void this.#tell(sent, surface, [id, arrivalMs, this.ttlMs])
  }

  /** @param answeredAgo Milliseconds since the answer began; undefined if none did. */
  release(
    surface: string | null,
    id: string,
    answeredAgo: number | undefined,
    silent: boolean,
  ): Promise<void> {
    const args = [id, answeredAgo === undefined ? -1 : Math.floor(answeredAgo)]
    return this.#end(release, surface, id, args, silent)
  }

  cancel(surface: string | null, id: string): Promise<void> {
    return this.#end(cancel, surface, id, [id], false)
  }

  hold(surface: string | null, milliseconds: number): void {
    const ms = Math.ceil(milliseconds)
    void this.#tell(hold, surface, [ms, this.ttlMs], { surface, hold: ms })
  }

  /** Tells Redis everything that it may have missed or lost; rejects when it does not answer. */
  async rejoin(accounts: Iterable<Account>): Promise<void> {
    const released = [...this.#released]
    const { leaseMs, ttlMs: ttl, quietMs } = this
    const common = { epoch: crypto.randomUUID(), released, leaseMs, ttl, quietMs }
    for (const { surface, sends, holdMs } of accounts) {
      const account = { ...common, held: [...this.held], sends, holdMs }
      const news = { surface, lost: true } as const
      const [epoch] = await this.ask(rejoin, surface, [JSON.stringify(account)], { news })
      this.met(String(epoch))
    }
    for (const id of released) this.#released.delete(id)
  }

  /** Resolves when Redis has taken note of everything so far, or has failed to. */
  async flush(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  async #end(script: string, surface: string | null, id: string, args: (string | number)[], silent: boolean) {
    this.held.delete(id)
    if (this.held.size === 0) {
      clearTimeout(this.#beat)
      this.#beat = undefined
    }
    const told = !silent && (await this.#tell(script, surface, args, { surface }))
    if (told) this.#onFree()
    else this.#released.add(id)
  }

  /** Tells Redis; resolves with whether it has understood. */
  #tell(script: string, surface: string | null, args: (string | number)[], news?: News): Promise<boolean> {
    return this.#track(this.ask(script, surface, args, news && { news }))
  }

  #track(work: Promise<unknown>): Promise<boolean> {
    const done = work.then(
      () => true,
      () => false,
    )
    this.#underWay.add(done)
    void done.then(() => this.#underWay.delete(done))
    return done
  }

  #keepAlive(): void {
    if (this.#beat !== undefined || this.held.size === 0) return
    this.#beat = setTimeout(() => {
      this.#beat = undefined
      void this.#tell(renew, null, [this.leaseMs, this.ttlMs, ...this.held])
      this.#keepAlive()
    }, this.leaseMs / 3)
  }
}

function channelOf(base: string): string {
  return `${base}:news`
}
