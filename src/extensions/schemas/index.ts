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
} from '../../api/microblog.ts'
export {
  professionalnetComment,
  professionalnetPostsCommentsBody,
  professionalnetPostsCommentsParams,
} from '../../api/professionalnet/comments.ts'
export {
  professionalnetCompany,
  professionalnetCompanyGetBody,
  professionalnetCompanyGetParams,
  professionalnetCompanyLocation,
} from '../../api/professionalnet/company.ts'
export {
  professionalnetIndustriesListBody,
  professionalnetIndustriesListParams,
  professionalnetIndustry,
} from '../../api/professionalnet/industries.ts'
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
} from '../../api/professionalnet/posts.ts'
export { openBody } from '../../api/undocumented.ts'
