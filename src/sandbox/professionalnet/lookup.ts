import type { CompanyGetBody } from '../../contract/professionalnet/company.ts'
import type { Outcome } from '../responses.ts'
import type { Network, NetworkPost } from './network.ts'
import type { Person } from './people.ts'

/**
 * Finds what a URL stands for, on any host: that of the sandbox's own URLs does not exist. What the service answers
 * where there is nothing at a URL is not documented; 404 is made up.
 */
export function findCompany({ companies }: Network, url: string): Outcome<Omit<CompanyGetBody, 'requestId'>> {
  const name = partOf(url, /\/company\/([^/?#]+)/)
  const found = companies.find(({ slug, company }) => name === slug || name === company.id)
  return found === undefined ? { missing: `No company at ${url}` } : { body: { company: found.company } }
}

export function findPerson({ people }: Network, url: string): Person | undefined {
  const name = partOf(url, /\/in\/([^/?#]+)/)
  return people.find(({ handle }) => handle === name)
}

/** Finds a post by its URL, by the URL of its update, or by anything else that names its activity. */
export function findPost({ posts, made }: Network, url: string): NetworkPost | undefined {
  const number = /activity(?::|%3a|-)(\d+)/i.exec(url)?.[1] ?? ''
  return (
    posts.find(({ activity, post }) => activity === number || post.share_url === url) ?? made?.get(number)
  )
}

function partOf(url: string, pattern: RegExp): string | undefined {
  return pattern.exec(url.toLowerCase())?.[1]
}
