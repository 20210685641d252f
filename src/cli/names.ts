import type { OperationId } from '../api/operations.ts'
import { commandOf } from './flags.ts'

/** The operations that are used most have commands of their own; `mentions` alone lists mentions. */
export const shortCommands: Readonly<Record<string, OperationId>> = {
  search: 'microblog.search',
  posts: 'professionalnet.posts.search',
  company: 'professionalnet.company.get',
  comments: 'professionalnet.posts.comments',
}

/** The shortest command of an operation. */
export function shortCommandOf(id: string): string {
  const [name] = Object.entries(shortCommands).find(([, each]) => each === id) ?? []
  return name ?? commandOf(id)
}
