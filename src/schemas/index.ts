export { postComment, postCommentsBody, postCommentsParams } from '../api/professionalnet/comments.ts'
export { company, companyGetBody, companyGetParams, companyLocation } from '../api/professionalnet/company.ts'
export { industriesListBody, industriesListParams, industry } from '../api/professionalnet/industries.ts'
export {
  microblogCategory,
  microblogEngagements,
  microblogFilters,
  microblogPost,
  microblogSearchBody,
  microblogSearchMeta,
  microblogSearchParams,
} from '../api/microblog.ts'
export { openBody } from '../api/schema/open.ts'
export {
  orbit,
  planet,
  planetAtmosphere,
  planetCreator,
  planetPhysicalProperties,
  planetTemperature,
  satellite,
} from '../api/catalog/planet.ts'
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
} from '../api/professionalnet/posts.ts'
