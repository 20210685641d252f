import { companyPages, people } from './cast.ts'
import { containsPhrase, normalize } from './match-words.ts'
import phrases from './phrases.json' with { type: 'json' }
import type { Random } from './random.ts'
import type { Topic } from './topics.ts'

/** Slots of every line: of links, and of those who are mentioned. */
const everywhere: Readonly<Record<string, readonly string[]>> = {
  host: phrases.hosts,
  handle: people.map(({ handle }) => handle),
  company: companyPages.map(({ handle }) => handle),
}

/**
 * Writes a post, or sometimes a reply. It always holds its topic's keyword, so that a search for the topic
 * finds it.
 *
 * @param replies Share of replies, 0 to 1.
 */
export function composePost(random: Random, topic: Topic, replies = 0): string {
  const lines = random.chance(replies)
    ? ['@{handle}', random.pick(phrases.replies)]
    : [
        ...(random.chance(0.22) ? [random.pick(phrases.openers)] : []),
        random.pick(topic.lines),
        ...(random.chance(0.6) ? [random.pick(phrases.endings)] : []),
      ]
  const text = lines.map((line) => fill(random, topic, line)).join(' ')
  const isNamed = containsPhrase(topic.keyword)(normalize(text))
  const hashtag = random.chance(0.3) ? ` #${random.pick(topic.hashtags)}` : ''
  return (isNamed ? text : `${text} #${topic.keyword}`) + hashtag
}

/** Fills the slots of a line, and those of what is filled in. Sentences then begin with a capital letter. */
export function fill(random: Random, { slots }: Topic, line: string): string {
  const filled = (text: string): string =>
    text.replaceAll(/\{(?:(\d+)-(\d+)|(\w+))\}/g, (_, min: string | undefined, max: string, name: string) =>
      min === undefined
        ? filled(random.pick(slots[name] ?? everywhere[name] ?? []))
        : String(random.integer(Number(min), Number(max))),
    )
  return filled(line).replaceAll(/(?:^|[.!?] )\p{Ll}/gu, (start) => start.toUpperCase())
}
