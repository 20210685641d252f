import { SocialSearch, isSocialSearchError } from 'social-search-sdk'
import { complaints } from './complaints.ts'

const app = { SocialSearch, isSocialSearchError }
export type App = typeof app
Object.assign(globalThis, { app, complaints })
