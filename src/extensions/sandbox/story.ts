import { containsAll } from './match-words.ts'
import { hash } from './random.ts'
import type { SandboxStory } from './types.ts'

/** How many times as many items are made up, since most are left out: of a network, and about one query. */
export const storyFactors = { network: 4, query: 14 }

/** Whether a story keeps a made-up item, by its time and words. The same item is kept or not in every process. */
export type Keeps = (item: { readonly at: number; readonly words: string }) => boolean

/** Chances from Sunday to Saturday. */
const weekdays = [0.3, 0.9, 1, 1, 0.95, 0.8, 0.4] as const
const tuesday = 2
/** Days before the sandbox was made on which a wave of mentions begins. */
const waves = [3, 17, 32, 46, 61] as const

/** The story of posts, which looks up its queries in theirs. `start` is when the sandbox was made. */
export function tellPosts({ launch, rival }: SandboxStory, start: number): Keeps {
  const isAbout = (query?: string) => (query === undefined ? () => false : containsAll(query))
  const [isLaunch, isRival] = [isAbout(launch), isAbout(rival)]
  const today = dayOf(start)
  const launchAge = 9 + ((weekdayOf(today - 9) - tuesday + 7) % 7)
  return keepsBy(today, (age, words) => {
    if (isLaunch(words)) return 0.07 + burst(age, launchAge)
    return isRival(words) ? 0.03 + 0.28 / (1 + Math.exp((age - 24) / 11)) : 0.3
  })
}

/** The story of mentions: a wave every two weeks, and a lull between them. */
export function tellMentions(start: number): Keeps {
  return keepsBy(dayOf(start), (age) => 0.1 + waves.reduce((sum, wave) => sum + burst(age, wave), 0))
}

/** What an event adds to the chance of a day: most on its own day, little a week later. Ages are days before the start. */
function burst(age: number, ageOfEvent: number): number {
  return age > ageOfEvent ? 0 : 0.8 * Math.exp((age - ageOfEvent) / 1.6)
}

function keepsBy(today: number, chance: (age: number, words: string) => number): Keeps {
  return ({ at, words }) => {
    const day = dayOf(at)
    const weekday = weekdays[weekdayOf(day)] ?? 1
    return hash(`${at}/${words}`) / 2 ** 53 < weekday * chance(today - day, words)
  }
}

const dayOf = (time: number): number => Math.floor(time / 86_400_000)
/** 0 is Sunday; 1 January 1970 was a Thursday. */
const weekdayOf = (day: number): number => (day + 4) % 7
