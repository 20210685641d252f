/** What to collect. A search with other params is another search. */
import type { MicroblogSearchParams } from 'social-search-sdk'

export const searches: MicroblogSearchParams[] = [
  { query: 'react', filters: { lang: 'en' } },
  { query: 'vue', filters: { lang: 'en' } },
  { query: 'svelte', filters: { lang: 'en' } },
]

/** Credits that all runs of one day (UTC) may spend together. */
export const dailyCredits = 100
