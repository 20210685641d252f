/** A process that is to look at the state, and after how many milliseconds. */
export type Look = readonly [process: string, ms: number]

/** Each process that waits, or knows a state: an epoch begins, or a surface has closed. */
export const everyone = '*'

/** A short message to all other processes. */
export interface Notice {
  /** The process that sends it. */
  readonly from: string
  readonly looks: readonly Look[]
}

/** Reads a notice; undefined for anything else, since other programs may send on the same channel. */
export function decodeNotice(text: string): Notice | undefined {
  try {
    const { from, looks } = JSON.parse(text) as Notice
    const isLook = ([process, ms]: Look): boolean => typeof process === 'string' && ms >= 0
    return typeof from === 'string' && looks.every(isLook) ? { from, looks } : undefined
  } catch {
    return undefined
  }
}
