/**
 * The common beginning of all keys of one owner. They share a hash tag, so that they lie in one slot of a cluster; it is
 * a hash, since the owner may be named by an API key.
 */
export async function keyBase(prefix: string, owner: string): Promise<string> {
  return `${prefix}:{${(await hex(owner)).slice(0, 32)}}`
}

async function hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
