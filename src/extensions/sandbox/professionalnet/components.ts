import type { Topic } from '../phrases/languages.ts'
import type { Random } from '../random.ts'

/** The provider of live videos; made up, like the other provider. */
export const liveProvider = 'live'

/** Shares of all posts; the rest has text alone. */
const kinds = [
  { weight: 24, make: images },
  { weight: 12, make: article },
  { weight: 9, make: video },
  { weight: 8, make: document },
  { weight: 6, make: poll },
  { weight: 41, make: () => ({}) },
]

/** Makes up one optional part of a post, or none. */
export function createComponents(random: Random, topic: Topic) {
  return random.weighted(kinds).make(random, topic)
}

function images(random: Random) {
  const count = random.pick([1, 1, 1, 2, 3, 4])
  return { imageComponent: Array.from({ length: count }, () => media(random, 'photo', 'jpg')) }
}

function article(random: Random, topic: Topic) {
  const thing = random.pick(topic.slots.thing)
  return {
    articleComponent: {
      title: `What nobody tells you about ${thing}`,
      subtitle: 'longreads.example',
      navigationContext: `https://longreads.example/${random.hex(6)}`,
      smallImage: media(random, 'article', 'jpg'),
      ...(random.chance(0.6) && { description: `A long look at ${thing}, with numbers.` }),
    },
  }
}

function video(random: Random) {
  return {
    professionalnetVideoComponent: {
      thumbnail: media(random, 'thumbnail', 'jpg'),
      duration: random.integer(8, 1800),
      provider: random.chance(0.3) ? liveProvider : 'native',
    },
  }
}

function document(random: Random, topic: Topic) {
  const pages = random.integer(1, 4)
  return {
    documentComponent: {
      title: `${random.integer(3, 12)} slides on ${random.pick(topic.slots.thing)}`,
      transcribedDocumentUrl: media(random, 'document', 'pdf'),
      coverPages: Array.from({ length: pages }, () => ({
        width: 1280,
        height: random.pick([720, 960, 1600]),
        imageUrls: [media(random, 'page', 'jpg')],
      })),
    },
  }
}

function poll(random: Random, topic: Topic) {
  const options = ['Every day', 'Once a week', 'Hardly ever', 'What is that?'].slice(0, random.integer(2, 4))
  const pollOptions = options.map((option) => ({ option, votes: random.integer(0, 400) }))
  const closed = random.chance(0.6)
  return {
    pollComponent: {
      question: `How often do you think about ${random.pick(topic.slots.thing)}?`,
      visibilityInfo: 'The author can see how you vote.',
      showPollSummaryInfo: random.chance(0.5),
      pollOptions,
      totalVotes: pollOptions.reduce((sum, { votes }) => sum + votes, 0),
      closed,
      remainingDuration: closed ? '' : `${random.integer(1, 6)}d left`,
    },
  }
}

function media(random: Random, kind: string, ending: string): string {
  return `https://media.professionalnet.example/${kind}/${random.hex(12)}.${ending}`
}
