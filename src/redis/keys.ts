/**
 * The prefix of all keys of one owner. Its hash tag keeps them in one slot of a cluster. The owner is hashed, since it may
 * be an API key.
 */
export async function keyBase(prefix: string, owner: string): Promise<string> {
  return `${prefix}:{${(await hex(owner)).slice(0, 32)}}`
}

async function hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
