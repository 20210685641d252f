export { postComment, postCommentsBody, postCommentsParams } from '../contract/schemas/comments.ts'
export { company, companyGetBody, companyGetParams, companyLocation } from '../contract/schemas/company.ts'
export { industriesListBody, industriesListParams, industry } from '../contract/schemas/industries.ts'
export {
  microblogCategory,
  microblogEngagements,
  microblogFilters,
  microblogPost,
  microblogSearchBody,
  microblogSearchMeta,
  microblogSearchParams,
} from '../contract/schemas/microblog.ts'
export { openBody } from '../contract/schemas/open.ts'
export {
  orbit,
  planet,
  planetAtmosphere,
  planetCreator,
  planetPhysicalProperties,
  planetTemperature,
  satellite,
} from '../contract/schemas/planet.ts'
export {
  professionalnetActor,
  professionalnetArticle,
  professionalnetContentType,
  professionalnetDocument,
  professionalnetPoll,
  professionalnetPost,
  professionalnetPostsSearchBody,
  professionalnetPostsSearchParams,
  professionalnetSocialDetails,
  professionalnetVideo,
} from '../contract/schemas/posts.ts'
