/** An amount of things, in words: `1 call`, `2 calls`. */
export function count(amount: number | bigint, thing: string): string {
  return `${amount} ${thing}${Number(amount) === 1 ? '' : 's'}`
}
