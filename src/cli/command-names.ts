import type { Operation } from '../api/operation.ts'
import { type OperationId, operations } from '../api/operations.ts'
import { jsonSchemaOf } from '../api/schema/json-schema.ts'

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

/**
 * The command that words mean which spell an operation as programs do: `reactions` for `professionalnet posts reactions x`, or for
 * `posts.reactions`.
 */
export function commandMeant(words: readonly string[]): string | undefined {
  const typed = `${kebab(words.join(' ').replaceAll('.', ' '))} `
  const meant = operations.find(({ id }) => {
    const names = id.split('.').map(kebab)
    const spellings = names.slice(0, -1).map((_, start) => `${names.slice(start).join(' ')} `)
    return spellings.some((spelling) => typed.startsWith(spelling))
  })
  const command = meant && commandOf(meant.id)
  return `${words.join(' ')} `.startsWith(`${command} `) ? undefined : command
}

/** `setState` and `sort_by` become `set-state` and `sort-by`. */
export function kebab(name: string): string {
  return name.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** The param that is an argument instead of a flag: the id of a record, or the required text. */
export function positionalOf({ pathId, request }: Operation): string | undefined {
  return pathId === undefined ? jsonSchemaOf(request).required?.[0] : 'id'
}
