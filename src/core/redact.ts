const replacement = '[redacted]'

/** Shortest secret that is replaced: shorter ones would mangle ordinary text. */
const minimumLength = 6

/** Knows the secrets of one client and takes them out of text that others may see. */
export class Redactor {
  readonly #secrets = new Set<string>()

  /** Remembers a secret; tokens that have been rotated stay known, since late answers may still name them. */
  add(secret: string): void {
    if (secret.length < minimumLength) return
    remember(this.#secrets, secret)
    // Inside JSON text a secret with quotes or backslashes looks different.
    remember(this.#secrets, JSON.stringify(secret).slice(1, -1))
  }

  text(text: string): string {
    let clean = text
    for (const secret of this.#secrets) clean = clean.replaceAll(secret, replacement)
    return clean
  }
}

/** Tokens rotate for as long as a process lives; the latest are all that answers still under way can name. */
const remembered = 64

/** Adds a secret to a set that forgets its oldest ones. */
export function remember(secrets: Set<string>, secret: string): void {
  secrets.add(secret)
  const [oldest] = secrets
  if (secrets.size > remembered && oldest !== undefined) secrets.delete(oldest)
}
