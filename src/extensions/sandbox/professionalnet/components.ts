import type { ProfessionalnetPost } from '../../../api/professionalnet/posts.ts'
import type { Random } from '../random.ts'

/** The provider of live videos; made up, like the other provider. */
export const liveProvider = 'live'

/** Makes up one optional part of a post about a thing, or none. */
export function createComponents(random: Random, thing: string): Partial<ProfessionalnetPost> {
  const media = (kind: string) => `https://media.professionalnet.example/${kind}/${random.hex(12)}`
  switch (random.integer(0, 9)) {
    case 0:
    case 1:
      return { imageComponent: [media('photo')] }
    case 2: {
      const navigationContext = `https://longreads.example/${random.hex(6)}`
      const title = `What nobody tells you about ${thing}`
      const smallImage = media('article')
      return { articleComponent: { title, subtitle: 'longreads.example', navigationContext, smallImage } }
    }
    case 3: {
      const provider = random.chance(0.3) ? liveProvider : 'native'
      const duration = random.integer(8, 1800)
      return { professionalnetVideoComponent: { thumbnail: media('thumbnail'), duration, provider } }
    }
    case 4: {
      const coverPages = [{ width: 1280, height: 720, imageUrls: [media('page')] }]
      const transcribedDocumentUrl = media('document')
      return { documentComponent: { title: `A deck on ${thing}`, transcribedDocumentUrl, coverPages } }
    }
    case 5: {
      const pollOptions = ['Every day', 'Hardly ever'].map((option) => ({
        option,
        votes: random.integer(0, 400),
      }))
      return {
        pollComponent: {
          question: `How often do you think about ${thing}?`,
          visibilityInfo: 'The author can see how you vote.',
          showPollSummaryInfo: true,
          pollOptions,
          totalVotes: pollOptions.reduce((sum, { votes }) => sum + votes, 0),
          closed: false,
          remainingDuration: '3d left',
        },
      }
    }
    default:
      return {}
  }
}
