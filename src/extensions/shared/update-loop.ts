import { maxTimerMs } from '../../lib/time.ts'
import { type SharedText, reasonOf } from './shared-text.ts'

/** Shortest time between two attempts to reach an unavailable store, in milliseconds; the longest is twice that. */
const retryMs = 500

/** Updates a text: one update at a time, again when something has happened meanwhile, and from time to time. */
export abstract class UpdateLoop {
  protected readonly text: SharedText
  /** Since when the store is unavailable, in monotonic milliseconds; undefined while it is available. */
  protected unavailableSince: number | undefined
  #isDue = false
  #running: Promise<void> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(text: SharedText) {
    this.text = text
  }

  get isUnavailable(): boolean {
    return this.unavailableSince !== undefined
  }

  /** Updates as soon as possible; while the store is unavailable, with the next attempt. */
  touch(): void {
    if (!this.isUnavailable) {
      this.touchNow()
      return
    }
    this.#isDue = true
    // Calls that wait touch again and again, which must not postpone the next attempt.
    if (this.#timer === undefined) this.schedule()
  }

  /** Updates as soon as possible, even if the store was unavailable. */
  touchNow(): void {
    this.#isDue = true
    this.#running ??= this.#run()
  }

  /** Updates the text once, with all that has happened by then. */
  protected abstract update(): Promise<void>

  /** Milliseconds until an update that nothing else causes; Infinity for none. */
  protected abstract renewMs(): number

  /** Whether to try an unavailable store again. */
  protected abstract get isRetried(): boolean

  /** The store has failed, perhaps again, or is available again. */
  protected abstract onAvailability(error?: unknown): void

  /** Resolves when no update runs. */
  protected async settled(): Promise<void> {
    await this.#running
  }

  /** Sets the timer of the next update that nothing else causes. */
  protected schedule(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#running !== undefined) return
    const retry = this.isRetried ? retryMs * (1 + Math.random()) : Infinity
    const ms = this.isUnavailable ? retry : this.renewMs()
    if (ms === Infinity) return
    const renew = (): void => {
      this.#timer = undefined
      this.touchNow()
    }
    this.#timer = setTimeout(renew, Math.min(Math.max(0, ms), maxTimerMs))
  }

  async #run(): Promise<void> {
    // What happens at the same time goes into one update: a release and the next call.
    await Promise.resolve()
    while (this.#isDue) {
      this.#isDue = false
      try {
        await this.update()
        this.#succeeded()
      } catch (error) {
        this.#isDue = true
        this.#failed(error)
        break
      }
    }
    this.#running = undefined
    this.schedule()
  }

  #succeeded(): void {
    if (!this.isUnavailable) return
    this.unavailableSince = undefined
    this.text.log('info', 'the shared store is available again', {})
    this.onAvailability()
  }

  #failed(error: unknown): void {
    if (!this.isUnavailable)
      this.text.log('warn', 'the shared store is unavailable', { reason: reasonOf(error) })
    this.unavailableSince ??= performance.now()
    this.onAvailability(error)
  }
}
