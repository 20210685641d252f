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
    'social_details.numLikes',
    'social_details.numComments',
    'social_details.numShares',
  ],
}
