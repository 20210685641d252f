import type { ProfessionalnetCompanyGetBody } from '../../api/professionalnet/company.ts'
import type { Outcome } from '../responses.ts'
import type { Network, NetworkPost } from './network.ts'
import type { Person } from './people.ts'

/**
 * Finds the company at a URL. The host may be any, since the host of the sandbox's URLs does not exist. The 404 for an
 * unknown company is made up: the service documents none.
 */
export function findCompany(
  { companies }: Network,
  url: string,
): Outcome<Omit<ProfessionalnetCompanyGetBody, 'requestId'>> {
  const name = partOf(url, /\/company\/([^/?#]+)/)
  const found = companies.find((each) => name === each.slug || name === each.company.id || url === each.url)
  return found === undefined ? { missing: `No company at ${url}` } : { body: { company: found.company } }
}

export function findPerson({ people }: Network, url: string): Person | undefined {
  const name = partOf(url, /\/in\/([^/?#]+)/)
  return people.find(({ handle }) => handle === name)
}

/** Finds a post by its URL, or by any text with its activity, such as a URN. */
export function findPost({ posts, found }: Network, url: string): NetworkPost | undefined {
  const number = /activity(?::|%3a|-)(\d+)/i.exec(url)?.[1] ?? ''
  return (
    found.get(number) ?? posts.find(({ activity, post }) => activity === number || post.share_url === url)
  )
}

function partOf(url: string, pattern: RegExp): string | undefined {
  return pattern.exec(url.toLowerCase())?.[1]
}
