/** What the server does with a request, and how often, in tenths of a percent. */
const weights = {
  success: 940,
  /** 429; the client may try again at once. */
  rateLimited: 5,
  /** 429 that closes the surface for a second. */
  closed: 1,
  /** 503 with the service's error body. */
  unavailable: 5,
  /** 502 with the service's error body. */
  upstream: 2,
  /** 500 of a proxy; the service charges every other one. */
  foreign: 5,
  resetBefore: 5,
  resetAfter: 5,
  truncated: 5,
  notJson: 8,
  wrongShape: 8,
  /** No answer: the client's timeout ends it. */
  stalled: 1,
}

type ServerOutcome = keyof typeof weights

/** Draws the same numbers in each run. */
export function createDraw(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** @param share A number from 0 up to 1. */
export function outcomeOf(share: number): ServerOutcome {
  let rest = share * Object.values(weights).reduce((sum, weight) => sum + weight)
  for (const [outcome, weight] of Object.entries(weights)) {
    rest -= weight
    if (rest < 0) return outcome as ServerOutcome
  }
  return 'success'
}
