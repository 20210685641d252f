import { existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { closed, listening } from '../support/listening.ts'
import { timedPage } from '../support/pages.ts'
import { allOf, range } from '../support/posts-database.ts'
import { command, run, useCommand, when } from './command.ts'

/** `ROUNDS=100 npx vitest run --project processes lost-files` does it more often. */
const rounds = Number(process.env['ROUNDS'] ?? 6)

useCommand()

const pageSize = 20

/** A service with a ledger of its own. No two answers share a post. */
class Ledger {
  /** Of each answer that was charged: the ids of its posts. */
  readonly answers: (readonly string[])[] = []
  /** Requests that have arrived. */
  requests = 0
  readonly #server = createServer((request, response) => {
    this.requests++
    const number = this.requests
    let text = ''
    request.setEncoding('utf8').on('data', (part) => (text += String(part)))
    request.on('end', () => {
      const { query } = JSON.parse(text) as { query: string }
      void sleep(Math.random() * 40).then(() => {
        const ids = range(number * pageSize, (number + 1) * pageSize).map(String)
        this.answers.push(ids)
        const posts = ids.map((id) => ({ id, time: new Date(start + Number(id)).toISOString() })).reverse()
        const body = timedPage(posts, query === 'pages' && number < 40 ? { next: `cursor ${number}` } : {})
        response.setHeader('content-type', 'application/json').end(JSON.stringify(body))
      })
    })
  })

  async listen(): Promise<string> {
    return `${await listening(this.#server)}/v1`
  }

  close(): Promise<void> {
    return closed(this.#server)
  }
}

const start = Date.now() - 3_600_000

const lines = {
  search: 'search pages --all --budget 1000',
  watch: 'watch news --min-interval 0.02s --budget 1000',
} as const

/** What befalls the folder of a file. The file itself can still be read at `kept`. */
const misfortunes = {
  moved: (folder: string) => renameSync(join(folder, 'posts.db'), join(folder, 'kept.db')),
  'moved with its log'(folder: string) {
    for (const name of readdirSync(folder))
      if (name.startsWith('posts.db'))
        renameSync(join(folder, name), join(folder, name.replace('posts', 'kept')))
  },
  removed(folder: string) {
    linkSync(join(folder, 'posts.db'), join(folder, 'kept.db'))
    for (const name of readdirSync(folder)) if (name.startsWith('posts.db')) rmSync(join(folder, name))
  },
  replaced(folder: string) {
    misfortunes.moved(folder)
    writeFileSync(join(folder, 'posts.db'), '')
  },
  'moved with its folder'(folder: string) {
    renameSync(folder, `${folder} kept`)
    mkdirSync(folder)
    renameSync(join(`${folder} kept`, 'posts.db'), join(folder, 'kept.db'))
  },
} as const

let number = 0

/** Runs a command, and does something at a moment of one of its first pages. */
async function interrupted(line: string, act: (folder: string) => void) {
  const folder = join(command.folder, `lost-${++number}`)
  mkdirSync(folder)
  const service = new Ledger()
  const env = { SOCIAL_SEARCH_BASE_URL: await service.listen(), SOCIAL_SEARCH_API_KEY: `sk_${number}` }
  const page = 1 + Math.floor(Math.random() * 5)
  let requests = -1
  const during = when(
    () => service.requests >= page,
    () =>
      sleep(Math.random() * 60).then(() => {
        requests = service.requests
        act(folder)
      }),
  )
  const { code, err } = await run(command, `${line} --per-minute off --out ${join(folder, 'posts.db')}`, {
    env,
    during,
  })
  await service.close()
  return { folder, service, requests, code, err }
}

const idsIn = (path: string): unknown[] =>
  existsSync(path) ? allOf(path, 'SELECT id FROM microblog_posts').map(({ id }) => id) : []

/** Answers of which neither a file nor a message has all posts. */
const lost = (answers: Ledger['answers'], found: readonly unknown[]) => {
  const all = new Set(found)
  return answers.filter((ids) => !ids.every((id) => all.has(id)))
}

for (const [name, line] of Object.entries(lines)) {
  it(`a ${name} ends before it pays for another page when its file is gone, in ${rounds} ways and moments`, async () => {
    const ways = Object.entries(misfortunes)
    for (let round = 0; round < rounds; round++) {
      const [way, act] = ways[round % ways.length]!
      const { folder, service, requests, code, err } = await interrupted(line, act)
      expect([way, code, err]).toEqual([way, 1, expect.stringContaining('was moved, removed or replaced')])
      // One may have been on its way.
      expect(service.requests).toBeLessThanOrEqual(requests + 1)
      const printed = [...err.matchAll(/^\{"id":"(\d+)"/gm)].map(([, id]) => id)
      expect(printed.length % pageSize).toBe(0)
      expect(printed.length).toBeLessThanOrEqual(pageSize)
      expect(lost(service.answers, [...idsIn(join(folder, 'kept.db')), ...printed])).toEqual([])
      rmSync(folder, { recursive: true })
      rmSync(`${folder} kept`, { recursive: true, force: true })
    }
  }, 600_000)
}
