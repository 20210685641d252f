// Written by `npm run schemas` from src/contract/schemas.

import type { JsonSchema } from '../validate.ts'

export const request: JsonSchema = {
  type: 'object',
  properties: {
    query: { type: 'string', minLength: 1, maxLength: 200 },
    page: { type: 'integer', minimum: 1, default: 1 },
    sort_by: { type: 'string', enum: ['recent', 'relevant'], default: 'recent' },
    count: { type: 'integer', minimum: 1, maximum: 20, deprecated: true },
    author_job_title: { type: 'string', maxLength: 80 },
    content_type: {
      type: 'string',
      enum: ['photos', 'videos', 'liveVideos', 'collaborativeArticles', 'documents'],
    },
    from_member: { type: 'string', maxLength: 120 },
    from_organization: { type: 'string', maxLength: 120 },
    author_company: { type: 'string', maxLength: 120 },
    author_industry: { maxItems: 5, type: 'array', items: { type: 'integer' } },
    mentions_member: { type: 'string', maxLength: 120 },
    mentions_organization: { type: 'string', maxLength: 120 },
  },
  required: ['query'],
  additionalProperties: false,
}

export const response: JsonSchema = {
  type: 'object',
  properties: {
    requestId: { type: 'string' },
    posts: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          share_url: { type: 'string' },
          actor: {
            type: 'object',
            properties: {
              actor_image: { type: 'string' },
              actor_description: { type: 'string' },
              actor_name: { type: 'string' },
              actor_subDescription: { type: 'string' },
              actor_navigationContext: { type: 'string' },
            },
            required: [
              'actor_image',
              'actor_description',
              'actor_name',
              'actor_subDescription',
              'actor_navigationContext',
            ],
          },
          commentary: { type: 'string' },
          social_details: {
            type: 'object',
            properties: {
              numLikes: { type: 'number' },
              numComments: { type: 'number' },
              numShares: { type: 'number' },
              reactionTypeCounts: {
                type: 'array',
                items: {
                  type: 'object',
                  properties: { type: { type: 'string' }, count: { type: 'number' } },
                  required: ['type', 'count'],
                },
              },
            },
            required: ['numLikes', 'numComments', 'numShares', 'reactionTypeCounts'],
          },
          postedAt: { type: 'string' },
          urn: { type: 'string' },
          reactionsUrn: { type: 'string' },
          commentsUrn: { type: 'string' },
          repostsUrn: { type: 'string' },
          imageComponent: { type: 'array', items: { type: 'string' } },
          articleComponent: {
            type: 'object',
            properties: {
              title: { type: 'string' },
              subtitle: { type: 'string' },
              navigationContext: { type: 'string' },
              smallImage: { type: 'string' },
              description: { type: 'string' },
            },
            required: ['title', 'subtitle', 'navigationContext', 'smallImage'],
          },
          professionalnetVideoComponent: {
            type: 'object',
            properties: {
              thumbnail: { type: 'string' },
              duration: { type: 'number' },
              provider: { type: 'string' },
            },
            required: ['thumbnail', 'duration', 'provider'],
          },
          documentComponent: {
            type: 'object',
            properties: {
              title: { type: 'string' },
              transcribedDocumentUrl: { type: 'string' },
              coverPages: {
                type: 'array',
                items: {
                  type: 'object',
                  properties: {
                    width: { type: 'number' },
                    height: { type: 'number' },
                    imageUrls: { type: 'array', items: { type: 'string' } },
                  },
                  required: ['width', 'height', 'imageUrls'],
                },
              },
            },
            required: ['title', 'transcribedDocumentUrl', 'coverPages'],
          },
          pollComponent: {
            type: 'object',
            properties: {
              question: { type: 'string' },
              visibilityInfo: { type: 'string' },
              showPollSummaryInfo: { type: 'boolean' },
              pollOptions: {
                type: 'array',
                items: {
                  type: 'object',
                  properties: { option: { type: 'string' }, votes: { type: 'number' } },
                  required: ['option', 'votes'],
                },
              },
              totalVotes: { type: 'number' },
              closed: { type: 'boolean' },
              remainingDuration: { type: 'string' },
            },
            required: [
              'question',
              'visibilityInfo',
              'showPollSummaryInfo',
              'pollOptions',
              'totalVotes',
              'closed',
              'remainingDuration',
            ],
          },
        },
        required: [
          'share_url',
          'actor',
          'commentary',
          'social_details',
          'postedAt',
          'urn',
          'reactionsUrn',
          'commentsUrn',
          'repostsUrn',
        ],
      },
    },
    meta: {
      type: 'object',
      properties: { returnedCount: { type: 'integer', minimum: 0 }, page: { type: 'integer', minimum: 1 } },
      required: ['returnedCount', 'page'],
    },
  },
  required: ['requestId', 'posts', 'meta'],
}
