import type { OperationId } from './operations.ts'

/** The fields that say most about an item: tables and tools show them first. Other operations show all fields. */
export const mainFields: { readonly [Id in OperationId]?: readonly string[] } = {
  'microblog.search': [
    'author',
    'body',
    'timestamp',
    'name',
    'url',
    'engagements.favoriteCount',
    'engagements.replyCount',
    'engagements.retweetCount',
    'engagements.viewsCount',
  ],
  'professionalnet.posts.search': [
    'actor.actor_name',
    'commentary',
    'postedAt',
    'actor.actor_description',
    'share_url',
    'articleComponent.title',
    'actor.actor_navigationContext',
    'social_details.numLikes',
    'social_details.numComments',
    'social_details.numShares',
  ],
}

/** Short names for these fields, in results for language models. */
export const shortNames: Readonly<Record<string, string>> = {
  body: 'text',
  timestamp: 'time',
  'engagements.favoriteCount': 'likes',
  'engagements.replyCount': 'replies',
  'engagements.retweetCount': 'reposts',
  'engagements.viewsCount': 'views',
  'actor.actor_name': 'author',
  'actor.actor_description': 'about_author',
  'actor.actor_navigationContext': 'author_url',
  commentary: 'text',
  postedAt: 'time',
  share_url: 'url',
  'articleComponent.title': 'article',
  'social_details.numLikes': 'likes',
  'social_details.numComments': 'replies',
  'social_details.numShares': 'reposts',
}
