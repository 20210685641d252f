import { useMutation, useQuery } from '@tanstack/react-query'
import { searchOptions } from 'social-search-sdk/query'
import * as z from 'zod'
import type { Address } from './address.ts'
import { client, queryClient } from './api.ts'

export const states = ['new', 'seen', 'done', 'ignored'] as const
export type State = (typeof states)[number]
/** The service does not document mentions and listeners: this is what the sandbox sends. */
const mention = z.object({
  ...{ id: z.string(), text: z.string(), author: z.string(), network: z.string() },
  ...{ url: z.httpUrl(), publishedAt: z.iso.datetime(), state: z.enum(states) },
  ...{ listenerId: z.optional(z.string()), fitScore: z.optional(z.number()) },
})
export type Mention = z.infer<typeof mention>
const listener = z.object({ id: z.string(), name: z.string() })
export type Listener = z.infer<typeof listener>

const mentionList = {
  ...searchOptions(client, 'mentions.list', { count: 100 }),
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<Mention[]> =>
    client.mentions.list({ count: 100 }, { schema: mention, signal }).toArray({ limit: 500 }),
}
export const useMentions = () => useQuery<Mention[]>(mentionList)

const listenerList = {
  ...searchOptions(client, 'listeners.list', { count: 100 }),
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<Listener[]> =>
    client.listeners.list({ count: 100 }, { schema: listener, signal }).toArray({ limit: 100 }),
}
export const useListeners = () => useQuery<Listener[]>(listenerList)

/** A mention, and the state that it gets. */
export interface Change {
  id: string
  state: State
}

/** Changes the states of mentions. They show at once; what fails goes back. */
export function useChanges() {
  return useMutation({
    mutationFn: (changes: Change[]) =>
      Promise.all(changes.map(({ id, state }) => client.mentions.setState(id, { state }))),
    onMutate: (changes) => {
      const before = queryClient.getQueryData<Mention[]>(mentionList.queryKey)
      apply(changes)
      return before
    },
    onError: (_error, changes, before = []) => {
      const ids = new Set(changes.map(({ id }) => id))
      apply(before.filter(({ id }) => ids.has(id)))
      // Some of several may have worked.
      void queryClient.invalidateQueries({ queryKey: mentionList.queryKey })
    },
  })
}

function apply(changes: Change[]): void {
  const states = new Map(changes.map(({ id, state }) => [id, state]))
  queryClient.setQueryData<Mention[]>(mentionList.queryKey, (all) =>
    all?.map((each) => ({ ...each, state: states.get(each.id) ?? each.state })),
  )
}

/** Whether a mention passes the filters of the address, other than that by state. */
export const passes =
  ({ network, listener, fit }: Address) =>
  (mention: Mention) =>
    (!network || mention.network === network) &&
    (!listener || mention.listenerId === listener) &&
    (!fit || (mention.fitScore ?? 0) >= Number(fit))
