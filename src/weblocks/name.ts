/** What the locks and the channel of an organization are called: the same in all tabs, and without its label. */
export function clubName(organization: string): string {
  // FNV-1a with 64 bits: a name is needed at once, and digests of the platform take their time.
  let hash = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(organization)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n)
  }
  return `social-search-sdk/1/${hash.toString(16)}`
}
