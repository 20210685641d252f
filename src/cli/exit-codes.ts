/** What the command ends with. */
export const exitCodes = {
  done: 0,
  /** A file, the network or the machine failed, and nothing was charged. */
  failed: 1,
  usage: 2,
  credentials: 3,
  refused: 4,
  budget: 5,
  unknown: 6,
  interrupted: 130,
} as const

export type ExitName = keyof typeof exitCodes
