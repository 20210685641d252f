import {
  type ProfessionalnetIndustriesListParams,
  type ProfessionalnetIndustry,
  industriesPageSize,
} from '../../../api/endpoints/professionalnet/industries.ts'
import { fold } from '../post-index.ts'
import hierarchies from './industries.json' with { type: 'json' }

/**
 * Every industry, each after the one it belongs to. Like the service's, they do not depend on a seed. They look real, but
 * are not the service's own list.
 */
const industries = hierarchies.map((hierarchy, index): ProfessionalnetIndustry => {
  // Leave gaps between the ids, so that code which counts them up fails.
  const id = 4 + 7 * index + (index % 5)
  return { id, label: hierarchy.split(' > ').at(-1) ?? '', hierarchy }
})

export function labelOf(id: number): string | undefined {
  return industries.find((each) => each.id === id)?.label
}

/**
 * Lists industries. `q` matches as a substring of the hierarchy, in any case; there are no descriptions to search.
 * A page beyond the last one is empty, and a search without results has no pages: neither is documented.
 */
export function listMatching({ q = '', page = 1 }: ProfessionalnetIndustriesListParams) {
  const wanted = fold(q).trim()
  const found = industries.filter(({ hierarchy }) => fold(hierarchy).includes(wanted))
  const total = found.length
  const pageSize = industriesPageSize
  return {
    industries: found.slice((page - 1) * pageSize, page * pageSize),
    meta: { total, page, pageCount: Math.ceil(total / pageSize), pageSize },
  }
}
