/** What the charts tell: the launch of React on a Tuesday, Vue with more posts each week, and mentions of both. */
import type { SandboxPublication } from 'social-search-sdk/sandbox'

const day = 86_400_000

/** The listeners that find the mentions. The sandbox makes up tech news for each: a search lists every mention of the microblog. */
export const listeners = ['react', 'vue', 'typescript', 'coffee'].map((keyword) => ({
  ...{ id: `lis_${keyword}`, name: keyword, keywords: [keyword], networks: ['technews'] },
}))

const people = [
  'Ada Quillfeather',
  'Noor Oakhollow',
  'Jun Tidewell',
  'Mila Saltwhistle',
  'Theo Inkpenny',
  'Rosa Foxglen',
]
const [launchLines, rivalLines] = [
  [
    'The new React is out, and I like {}.',
    'React: {} alone is worth the update.',
    'Updated to the new React for {}. No regrets.',
    'Ten minutes into the React update: {} works better than I dared to hope.',
    'Wrote down what the React release changes for us, with a long part on {}.',
    'Anybody else who stayed up late for React? I blame {}.',
    'Our React update took an afternoon. Everybody talks about {} since.',
  ],
  [
    'Moved another page to Vue, mostly for {}.',
    'Vue keeps surprising me: {} this time.',
    'Our team voted for Vue, and {} decided it.',
    'Third week with Vue. What I would miss most is {}.',
    'Explained Vue to a friend over lunch. It was {} that got us both excited.',
    'I did not expect to like Vue. Then I saw {}.',
    'Small win: rewrote our checkout in Vue, thanks to {}.',
    'Question for people on Vue: how much does {} matter to you?',
  ],
] as const
const things = ['the compiler', 'faster builds', 'the new docs', 'less code', 'how it handles forms']
const likes = [240, 35, 6, 88, 12, 3, 17]

/** Posts and mentions of the weeks before a time. Another seed tells of another launch: louder or not, with fewer posts. */
export function storyBefore(now: Date, seed = 0): SandboxPublication {
  const launchAge = 9 + (seed % 5) + ((now.getUTCDay() - 2 - 9 + 28) % 7)
  const loudness = [5, 1, 9, 0][seed % 4]!
  const launch = [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3].slice(seed % 11).map((later) => launchAge - later)
  const rival = Array.from({ length: 20 - ((7 * seed) % 19) }, (_, index) => Math.floor((index * index) / 16))
  const posts = [...launch.map(toPost(launchLines, loudness)), ...rival.map(toPost(rivalLines, 1))]
  return { microblog: posts, mentions: posts.map(toMention) }

  /** A post that is so many days old. */
  function toPost(lines: readonly string[], loudness: number) {
    return (age: number, index: number) => {
      const name = people[(index * 5) % people.length]!
      const author = name.toLowerCase().replace(' ', '_')
      const time = Number(now) - age * day - ((index * 7) % 12) * 600_000
      // Two posts of one time and index differ by the first digit.
      const id = `${lines === launchLines ? 1 : 2}${time}${index}`
      const body = lines[index % lines.length]!.replace('{}', things[index % things.length]!)
      // The first posts about a launch are the ones that spread.
      const favoriteCount = likes[index % likes.length]! * (index < likes.length ? loudness : 1)
      const engagements = { favoriteCount, viewsCount: 31 * favoriteCount, replyCount: index % 3 }
      const url = `https://microblog.example/${author}/status/${id}`
      return { ...{ id, body, author, name, url, engagements }, timestamp: new Date(time).toISOString() }
    }
  }
}

type Texts = Record<'id' | 'body' | 'author' | 'url' | 'timestamp', string>

function toMention({ id, body, author, url, timestamp }: Texts) {
  const listenerId = body.includes('React') ? 'lis_react' : 'lis_vue'
  return {
    id: `men_${id}`,
    listenerId,
    text: body,
    author,
    url,
    publishedAt: timestamp,
    fitScore: 40 + ((Number(id.slice(-6)) * 7) % 60),
  }
}
