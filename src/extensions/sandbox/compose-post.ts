import { containsPhrase, normalize } from './match-words.ts'
import names from './names.json' with { type: 'json' }
import type { Phrases, Topic } from './phrases/languages.ts'
import type { Random } from './random.ts'

/**
 * Writes a post that makes sense alone, and may name one of the given people. It always holds its topic's keyword, so that a
 * search for the topic finds it.
 */
export function composePost(
  random: Random,
  language: Phrases,
  topic: Topic,
  people: readonly { readonly handle: string }[],
): string {
  const parts: string[] = []
  if (random.chance(0.22)) parts.push(random.pick(language.openers))
  parts.push(fill(random, topic, random.pick(topic.lines)))
  if (random.chance(0.3)) parts.push(random.pick(language.closers))
  if (random.chance(0.1))
    parts.push(random.pick(language.mentions).replace('{handle}', random.pick(people).handle))
  if (random.chance(0.16)) {
    const slug = topic.keyword.normalize('NFD').replaceAll(/[^a-z]/g, '') || 'post'
    const link = `https://${random.pick(names.linkHosts)}/${slug}/${random.hex(6)}`
    parts.push(random.pick(language.linkLeads), link)
  }
  const text = withoutGaps(parts.join(' '))
  const isNamed = containsPhrase(topic.keyword)(normalize(text))
  const hashtag = random.chance(0.3) ? ` #${random.pick(topic.hashtags)}` : ''
  return (isNamed ? text : `${text} #${topic.keyword}`) + hashtag
}

/** Writes a reply on a topic. */
export function composeReply(random: Random, language: Phrases, topic: Topic): string {
  return withoutGaps(fill(random, topic, random.pick(language.replies)))
}

/** Fills the slots of a line, and those of what is filled in. */
function fill(random: Random, topic: Topic, line: string): string {
  return line.replaceAll(
    /\{(?:(\d+)-(\d+)|(\^?)(\w+))\}/g,
    (_, min: string | undefined, max: string, upper: string, name: string, offset: number) => {
      if (min !== undefined) return String(random.integer(Number(min), Number(max)))
      const text = fill(random, topic, random.pick(topic.slots[name] ?? []))
      return upper === '^' || offset === 0 ? text.charAt(0).toUpperCase() + text.slice(1) : text
    },
  )
}

/** Japanese puts no space after a full stop. */
function withoutGaps(text: string): string {
  return text.replaceAll(/([。？：、]) /g, '$1')
}
