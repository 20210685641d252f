import type { OperationId } from '../contract/operations.ts'

/** The fields of items that a model needs to judge and quote them. Operations that are not listed show all fields. */
export const defaultFields: { readonly [Id in OperationId]?: readonly string[] } = {
  'microblog.search': [
    ...['author', 'name', 'body', 'timestamp', 'url', 'engagements.favoriteCount'],
    ...['engagements.replyCount', 'engagements.retweetCount', 'engagements.viewsCount'],
  ],
  'professionalnet.posts.search': [
    ...['actor.actor_name', 'actor.actor_description', 'commentary', 'postedAt', 'share_url'],
    ...['articleComponent.title', 'social_details.numLikes', 'social_details.numComments'],
    'social_details.numShares',
  ],
}
