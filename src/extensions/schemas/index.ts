// Generated from src/api by `npm run docs`.
export {
  orbit,
  planet,
  planetAtmosphere,
  planetCreator,
  planetPhysicalProperties,
  planetTemperature,
  satellite,
} from '../../api/catalog/planet.ts'
export {
  microblogCategory,
  microblogEngagements,
  microblogFilters,
  microblogPost,
  microblogSearchBody,
  microblogSearchMeta,
  microblogSearchParams,
} from '../../api/endpoints/microblog.ts'
export {
  professionalnetComment,
  professionalnetPostsCommentsBody,
  professionalnetPostsCommentsParams,
} from '../../api/endpoints/professionalnet/comments.ts'
export {
  professionalnetCompany,
  professionalnetCompanyGetBody,
  professionalnetCompanyGetParams,
  professionalnetCompanyLocation,
} from '../../api/endpoints/professionalnet/company.ts'
export {
  professionalnetIndustriesListBody,
  professionalnetIndustriesListParams,
  professionalnetIndustry,
} from '../../api/endpoints/professionalnet/industries.ts'
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
} from '../../api/endpoints/professionalnet/posts.ts'
export { openBody } from '../../api/endpoints/undocumented.ts'
