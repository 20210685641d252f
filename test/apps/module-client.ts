import { SocialSearch } from 'social-search-sdk'

export const client = SocialSearch.fromEnv()
