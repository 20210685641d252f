import type { OperationId } from '../api/operations.ts'

/** The operations that are used most have short names. */
const shortNames: { readonly [Id in OperationId]?: string } = {
  'microblog.search': 'search',
  'professionalnet.posts.search': 'posts',
  'professionalnet.company.get': 'company',
  'professionalnet.posts.comments': 'comments',
  'professionalnet.posts.reactions': 'reactions',
}

/** An operation as the command line spells it: `search`, `mentions set-state`. */
export function commandOf(id: string): string {
  return shortNames[id as OperationId] ?? id.split('.').map(kebab).join(' ')
}

/** `setState` and `sort_by` become `set-state` and `sort-by`. */
export function kebab(name: string): string {
  return name.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
