import type { OperationId } from './operations.ts'

/** The fields that say most about an item, with short names: tools and tables show them. Other operations show all fields. */
export const shortNames: { readonly [Id in OperationId]?: Readonly<Record<string, string>> } = {
  'microblog.search': {
    author: 'author',
    body: 'text',
    timestamp: 'time',
    name: 'name',
    url: 'url',
    'engagements.favoriteCount': 'likes',
    'engagements.replyCount': 'replies',
    'engagements.retweetCount': 'reposts',
    'engagements.viewsCount': 'views',
  },
  'professionalnet.posts.search': {
    'actor.actor_name': 'author',
    commentary: 'text',
    postedAt: 'time',
    'actor.actor_description': 'about_author',
    share_url: 'url',
    'articleComponent.title': 'article',
    'actor.actor_navigationContext': 'author_url',
    'social_details.numLikes': 'likes',
    'social_details.numComments': 'replies',
    'social_details.numShares': 'reposts',
  },
}
