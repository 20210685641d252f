import { settle } from './clock.ts'

/** What a walk delivered before it ended, and the error that ended it. */
export async function walk<T>(items: AsyncIterable<T>): Promise<{ items: T[]; error: unknown }> {
  const delivered: T[] = []
  const consume = async (): Promise<void> => {
    for await (const item of items) delivered.push(item)
  }
  const { error } = await settle(consume())
  return { items: delivered, error }
}
