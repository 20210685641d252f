import type { Author } from './authors.ts'
import names from './names.json' with { type: 'json' }
import { type Topic, english } from './phrases/languages.ts'
import type { Random } from './random.ts'
import { containsPhrase, normalize } from './match-words.ts'

/** Writes a post as one author would. A reply begins with the handle of one of the given people; other posts may name one. */
export function compose(
  random: Random,
  { language, interests }: Pick<Author, 'language' | 'interests'>,
  people: readonly Pick<Author, 'handle'>[],
): string {
  const topic = random.chance(0.7) ? random.pick(interests) : random.weighted(language.topics)
  const fill = filler(random, topic)
  const isReply = random.chance(0.18)
  const parts: string[] = []

  if (isReply) {
    parts.push(`@${random.pick(people).handle}`, fill(random.pick(language.replies)))
  } else {
    if (random.chance(0.22)) parts.push(random.pick(language.openers))
    parts.push(fill(random.pick(topic.lines)))
    if (random.chance(0.3)) parts.push(random.pick(language.closers))
    if (random.chance(0.1))
      parts.push(random.pick(language.mentions).replace('{handle}', random.pick(people).handle))
  }

  if (random.chance(isReply ? 0.04 : 0.16)) {
    const link = `https://${random.pick(names.linkHosts)}/${asciiSlug(topic)}/${random.hex(6)}`
    if (!isReply) parts.push(random.pick(language.linkLeads))
    parts.push(link)
  }

  // An original post always holds its topic's keyword, so that a search for the topic finds it.
  const isNamed = containsPhrase(topic.keyword)(normalize(parts.join(' ')))
  const hashtags: string[] = []
  if (isReply ? random.chance(0.25) : !isNamed || random.chance(0.12)) hashtags.push(` #${topic.keyword}`)
  if (!isReply && random.chance(0.3)) hashtags.push(` #${random.pick(topic.hashtags)}`)
  return withoutGaps(parts.join(' ')) + hashtags.join('')
}

/** Writes a post in English on one of the topics. It is not a reply, so it makes sense alone. */
export function composeOriginal(
  random: Random,
  topics: readonly Topic[],
  people: readonly Pick<Author, 'handle'>[],
): string {
  const author = { language: { ...english, topics }, interests: topics }
  let body = compose(random, author, people)
  while (body.startsWith('@')) body = compose(random, author, people)
  return body
}

/** Writes a reply on a topic in English. */
export function composeReply(random: Random, topic: Topic): string {
  return filler(random, topic)(random.pick(english.replies))
}

/** Fills the slots of a line. No choice is made twice within a post: a club does not play against itself. */
function filler(random: Random, topic: Topic): (line: string) => string {
  const used = new Set<string>()
  return function fill(line): string {
    return line.replaceAll(
      /\{(?:(\d+)-(\d+)|(\^?)(\w+))\}/g,
      (_, min: string | undefined, max: string, upper: string, name: string, offset: number) => {
        if (min !== undefined) return String(random.integer(Number(min), Number(max)))
        const choices = topic.slots[name] ?? []
        const fresh = choices.filter((choice) => !used.has(choice))
        const choice = random.pick(fresh.length > 0 ? fresh : choices)
        used.add(choice)
        const text = fill(choice)
        return upper === '^' || offset === 0 ? text.charAt(0).toUpperCase() + text.slice(1) : text
      },
    )
  }
}

/** Japanese puts no space after a full stop. */
function withoutGaps(text: string): string {
  return text.replaceAll(/([。？：、]) /g, '$1')
}

function asciiSlug(topic: Topic): string {
  return topic.keyword.normalize('NFD').replaceAll(/[^a-z]/g, '') || 'post'
}
