import { VueQueryPlugin, useInfiniteQuery, useQuery } from '@tanstack/vue-query'
import type { ProfessionalnetCompanyGetBody, SocialSearch } from 'social-search-sdk'
import { searchOptions } from 'social-search-sdk/query'
import { type App as VueApp, type Ref, createApp, defineComponent, h } from 'vue'
import { QueryClient } from '@tanstack/vue-query'
import { searchOf } from './app.ts'

globalThis.start = (options) => {
  const search = searchOf(options)
  const queryClient = new QueryClient()
  let app: VueApp | undefined
  let next: (() => Promise<unknown>) | undefined
  let error: Ref<Error | null> | undefined
  const Posts = defineComponent({
    setup() {
      const result = useInfiniteQuery(search)
      next = result.fetchNextPage
      error = result.error
      return () =>
        result.data.value?.pages.map(({ posts }) => posts.map(({ id, body }) => h('p', { key: id }, body)))
    },
  })
  return {
    mount() {
      app = createApp(Posts).use(VueQueryPlugin, { queryClient })
      app.mount(document.body)
    },
    unmount: () => app?.unmount(),
    next: async () => next?.(),
    shown: () => error?.value?.name ?? document.querySelectorAll('p').length,
  }
}

/** Compiled, not run: the data has the type of the call. */
export function useCompany(
  client: SocialSearch,
  url: string,
): Ref<ProfessionalnetCompanyGetBody | undefined> {
  return useQuery(searchOptions(client, 'professionalnet.company.get', { url })).data
}
