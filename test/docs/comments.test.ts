import { expect, it } from 'vitest'
import { inTurn, sandbox, social, useCommand } from '../cli/command.ts'
import { rowsOf } from '../support/posts-database.ts'
import { runProgram } from './run.ts'
import { sampleOf, samplesOf } from './samples.ts'

const post = {
  commentary: 'coffee',
  share_url: 'https://n.example/posts/activity-1',
  social_details: { numComments: 150, numLikes: 90, reactionTypeCounts: [{ type: 'LIKE', count: 90 }] },
}
const content = { professionalnet: [post] }
useCommand({ content })

it('docs/credits.md gets all 150 comments and 90 likes of a post', async () => {
  const program = `import { createSandbox } from 'social-search-sdk/sandbox'
const sandbox = createSandbox({ content: ${JSON.stringify(content)} })
globalThis.fetch = (...request) => sandbox.fetch(new Request(...request))
Object.assign(process.env, { SOCIAL_SEARCH_BASE_URL: sandbox.baseUrl, SOCIAL_SEARCH_API_KEY: sandbox.apiKey })
${sampleOf('docs/credits.md', 'numComments')}`
  expect((await runProgram(program)).stdout).toBe('150 90\n')
})

it('docs/jobs.md stores all comments and reactions of a post, and finds the posts that have most', async () => {
  const recipe = samplesOf('docs/jobs.md', 'sh').join('\n')
  const [comments = '', reactions = ''] =
    recipe.match(/(?<=social-search )(comments|reactions) [^;\n]*/g) ?? []
  await social('posts coffee --out acme.db')
  for (const line of [comments, reactions]) {
    const words = line.replace(/URL|\$url/, post.share_url).replaceAll(' 40 ', ' 90 ')
    await inTurn([words, 0, /^acme.db: (150|90) records [^\n]*\n$/])
  }
  for (const [name, records] of Object.entries({ comments: 150, reactions: 90 }))
    expect(rowsOf('acme.db', `SELECT number FROM professionalnet_${name}`)).toHaveLength(records)
  expect(sandbox.ledger.spent).toBe(4 + 240)
  const [find = ''] = recipe.match(/(?<=social-search )find acme.db [^|]*/) ?? []
  expect((await social(find)).out).toBe(`social_details.numComments,share_url\n150,${post.share_url}\n`)
})
