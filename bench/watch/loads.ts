import { type Random, createRandom } from '../../src/extensions/sandbox/random.ts'

/** How posts of a search come: posts an hour on average, apart from bursts. */
export interface Load {
  readonly kind: 'flat' | 'rhythm' | 'bursts' | 'viral' | 'mixed'
  readonly rate: number
}

/** Searches that are watched together. */
export const loads: Readonly<Record<string, readonly Load[]>> = {
  '1 search, 5 posts an hour': [{ kind: 'flat', rate: 5 }],
  '1 search, 30 posts an hour': [{ kind: 'flat', rate: 30 }],
  '1 search, 120 posts an hour': [{ kind: 'flat', rate: 120 }],
  '1 search, 30 posts an hour, few at night': [{ kind: 'rhythm', rate: 30 }],
  '1 search, 5 posts an hour, and 20 times as many in two hours a day': [{ kind: 'bursts', rate: 5 }],
  '1 search, 10 posts an hour, and 3,000 in one': [{ kind: 'viral', rate: 10 }],
  '6 searches, 0 to 40 posts an hour, few at night, with bursts': [0, 0.2, 1, 5, 15, 40].map((rate) => ({
    kind: 'mixed',
    rate,
  })),
  '50 searches, 0.01 to 12 posts an hour, few at night, with bursts': fifty(),
}

function fifty(): Load[] {
  const random = createRandom('fifty')
  return Array.from({ length: 50 }, () => ({ kind: 'mixed', rate: 0.012 * 1000 ** random.next() }))
}

/** Days before the watch starts, so that it finds a first page. */
const past = 2

export const day = 1440

/** When posts are published, in minutes since the watch starts, by thinning. */
export function postsOf({ kind, rate }: Load, days: number, seed: string): number[] {
  const random = createRandom(seed)
  const bursts = burstsOf(kind, days, random)
  const hasRhythm = kind === 'rhythm' || kind === 'mixed'
  const rateAt = (time: number): number => {
    const isBurst = bursts.some((start) => time >= start && time < start + 60)
    if (kind === 'viral' && isBurst) return 3000
    return rate * (hasRhythm ? rhythm(time) : 1) * (isBurst ? 20 : 1)
  }
  const peak = kind === 'viral' ? 3000 : rate * (hasRhythm ? 2 : 1) * (bursts.length > 0 ? 20 : 1)
  const posts: number[] = []
  if (peak === 0) return posts
  for (let time = -past * day; ;) {
    time += (-Math.log(1 - random.next()) / peak) * 60
    if (time >= days * day) return posts
    if (random.next() < rateAt(time) / peak) posts.push(time)
  }
}

function burstsOf(kind: Load['kind'], days: number, random: Random): number[] {
  if (kind === 'viral') return [3 * day + 700]
  const aDay = { flat: 0, rhythm: 0, bursts: 2, mixed: 0.5 }[kind]
  return Array.from({ length: Math.ceil(days * aDay) }, () => random.next() * days * day)
}

/** About 1 on average, and low at night. */
function rhythm(time: number): number {
  return Math.max(0.08, 1 + Math.sin(((time % day) / day) * 2 * Math.PI - 1.9))
}
