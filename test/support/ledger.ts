/** What a client, a budget or a call counts. */
interface Counted {
  readonly spent: number
  readonly uncertain: number
  /** Default: nothing. */
  readonly reserved?: number
}

/** What is wrong with a count, at rest, if the service charged so much; nothing for a correct one. */
export function miscounts({ spent, uncertain, reserved = 0 }: Counted, charged: number): string[] {
  if (reserved === 0 && spent <= charged && charged <= spent + uncertain) return []
  return [`charged ${charged}; counts spent ${spent}, uncertain ${uncertain}, reserved ${reserved}`]
}
