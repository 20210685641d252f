import { execFileSync } from 'node:child_process'

/** A number of 31 bits that follows from the hash of the commit; each place from 0 to 4 has another one. */
export function partOfCommit(place: number): number {
  const hash = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' })
  return Number.parseInt(hash.slice(8 * place, 8 * place + 8), 16) % 2 ** 31
}
