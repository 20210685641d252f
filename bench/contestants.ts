/** A measured client: a name, and the file in `peers/` that sets it up. */
export interface Contestant {
  name: string
  file: string
  /** Folder of the built package to use as `social-search-sdk`, for our own contestants. */
  dist?: string
}

/** The base of the comparisons. */
export const base: Contestant = { name: 'four packages by hand', file: 'composed' }
/** The base of the comparison of cold starts. */
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
