import { type Random, createRandom } from '../../../src/extensions/sandbox/random.ts'

/** A piece of the caller's code that the package calls. */
export type Callback = 'log' | 'onWait' | 'token'

/**
 * The caller's callbacks sometimes abort a call or close a client in the middle of the package's work.
 */
export class Interference {
  readonly #random: Random
  readonly #share: number
  /** What is done now and then, from a callback. */
  act: (random: Random, from: Callback) => void = () => {}

  constructor(seed: string) {
    this.#random = createRandom(`${seed}/interference`)
    this.#share = this.#random.pick([0, 0, 0.003, 0.02])
  }

  /** To be called by each callback. */
  readonly visit = (from: Callback): void => {
    if (this.#random.chance(this.#share)) this.act(this.#random, from)
  }

  /** Returns the value, after a visit. */
  pass<T>(value: T, from: Callback): T {
    this.visit(from)
    return value
  }
}
