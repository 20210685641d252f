import { sha256 } from '../lib/hash.ts'

/**
 * The prefix of all keys of one owner. Its hash tag keeps them in one slot of a cluster. The owner is hashed, since it may
 * be an API key.
 */
export async function keyBase(prefix: string, owner: string): Promise<string> {
  return `${prefix}:{${(await sha256(owner)).slice(0, 32)}}`
}
