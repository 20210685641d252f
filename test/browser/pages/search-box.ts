import { type ClientOptions, type Credits, SocialSearch } from 'social-search-sdk'

const box = {
  /** Adds a search box that searches while a user types, with its state below. */
  show(options: ClientOptions): void {
    const client = new SocialSearch(options)
    const input = document.createElement('input')
    const said = document.createElement('output')
    document.body.append(input, said)
    let abort = new AbortController()
    let timer = 0
    input.addEventListener('input', () => {
      clearTimeout(timer)
      abort.abort()
      timer = window.setTimeout(() => void search(input.value), 50)
    })

    async function search(query: string): Promise<void> {
      abort = new AbortController()
      const { signal } = abort
      said.value = 'searching'
      try {
        const { posts } = await client.microblog.search(
          { query },
          {
            signal,
            onWait: ({ reason, until }) => (said.value = `waiting (${reason}) until ${until?.toISOString()}`),
          },
        )
        said.value = `${posts.length} posts`
      } catch (error) {
        if (!signal.aborted) said.value = String(error)
      }
    }
    box.credits = () => client.credits
  },
  credits: (): Credits => ({ spent: 0, uncertain: 0, reserved: 0, saved: 0, byOperation: {} }),
}
export type SearchBox = typeof box
Object.assign(globalThis, { box })
