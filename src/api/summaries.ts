import type { catalogOperations } from './catalog/operations.ts'
import type { OperationId } from './operations.ts'

/**
 * What each operation does, in a few words, by its id. Apart from the operations, since calls do not need them and they
 * would be part of each bundle.
 */
const summaries: Readonly<Record<OperationId | (typeof catalogOperations)[number]['id'], string>> = {
  'microblog.search': 'find public microblog posts by keywords and filters',
  'professionalnet.posts.search': 'find public posts on the professional network',
  'professionalnet.company.get': 'get the profile of a company by the URL of its page',
  'professionalnet.person.posts': 'list the posts of a person',
  'professionalnet.person.comments': 'list the comments of a person',
  'professionalnet.posts.comments': 'list the comments on a post',
  'professionalnet.posts.reactions': 'list the reactions on a post',
  'professionalnet.industries.list': 'find the codes of industries',
  'technews.search': 'find stories and comments on the tech news site',
  'mentions.list': "list the mentions that the organization's listeners found",
  'mentions.get': 'get a mention by its id',
  'mentions.count': 'count the mentions that match filters',
  'mentions.setState': 'change the state of a mention',
  'listeners.list': "list the organization's brand and keyword monitors",
  'listeners.get': 'get a listener by its id',
  'feeds.list': "list the organization's saved views",
  'feeds.get': 'get a feed by its id',
  'organization.context': 'get the brand and business context of the organization',
  'organization.usage': 'get the credits used in the current billing period',
  openapi: "get the service's description of itself, with its credit rates",
  'planets.create': 'create a planet',
  'planets.update': 'update a planet',
  'celestialBodies.create': 'create a celestial body',
}

/** What an operation does, in a few words. */
export function summaryOf(id: string): string {
  return (summaries as Readonly<Record<string, string>>)[id] ?? id
}
