/** Who is measured: a name, and the file in `peers/` that sets it up. */
export interface Contestant {
  name: string
  file: string
  /** Folder of the built package that stands for `social-search-sdk`, if it is one of ours. */
  dist?: string
}

/** What the others are compared with. */
export const base: Contestant = { name: 'four packages by hand', file: 'composed' }
/** What a cold start is compared with. */
export const imports: Contestant = { name: 'importing the four packages', file: 'imports' }
export const raw: Contestant = { name: 'raw fetch', file: 'raw' }

export const peers: readonly Contestant[] = [
  raw,
  { name: 'bare ky', file: 'ky' },
  base,
  { name: 'openapi-fetch', file: 'extra/openapi-fetch' },
  { name: 'openai', file: 'extra/openai' },
  { name: 'octokit', file: 'extra/octokit' },
  { name: 'hey-api with zod', file: 'extra/hey-api' },
  { name: 'hey-api with zod/mini', file: 'extra/hey-api-mini' },
]

/** The package in `dist`, and the one of another checkout. */
export function own(dist: string, against: string | undefined, file = 'ours'): Contestant[] {
  const ours = { name: 'ours', file, dist }
  return against === undefined ? [ours] : [ours, { name: 'before', file, dist: against }]
}
