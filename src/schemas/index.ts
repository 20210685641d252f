export { postComment, postCommentsBody, postCommentsParams } from '../api/schemas/comments.ts'
export { company, companyGetBody, companyGetParams, companyLocation } from '../api/schemas/company.ts'
export { industriesListBody, industriesListParams, industry } from '../api/schemas/industries.ts'
export {
  microblogCategory,
  microblogEngagements,
  microblogFilters,
  microblogPost,
  microblogSearchBody,
  microblogSearchMeta,
  microblogSearchParams,
} from '../api/schemas/microblog.ts'
export { openBody } from '../api/schema/open.ts'
export {
  orbit,
  planet,
  planetAtmosphere,
  planetCreator,
  planetPhysicalProperties,
  planetTemperature,
  satellite,
} from '../api/schemas/planet.ts'
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
} from '../api/schemas/posts.ts'
