import type { ChildProcess } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { networkPosts, numbersOf, posts, range } from '../support/posts-database.ts'
import { type RunOptions, afterRequests, command, server, social, useCommand } from './command.ts'

let out: string
let files = 0
useCommand({
  content: { microblog: posts(0, 30), professionalnet: networkPosts(0, 30) },
  latency: [1, 15],
})
beforeEach(() => void (out = join(command.folder, `posts-${++files}.db`)))

const runCommand = (line: string, options: RunOptions = {}) =>
  social(`${line} --per-minute off --out ${out}`, options)

/** Kills the process a moment after it has sent so many requests. */
function killedAfter(requests: number): RunOptions {
  const kill = (child: ChildProcess) => sleep(Math.random() * 25).then(() => child.kill('SIGKILL'))
  return { during: afterRequests(requests, kill) }
}

/** Names of files that belong to the database. */
const besides = () => readdirSync(command.folder).filter((name) => name.startsWith(basename(out)))

const ids = 'SELECT id FROM microblog_posts'
const networks = [
  { network: 'microblog', operation: 'microblog.search', sql: ids, pageSize: 20, price: 2 },
  {
    network: 'professionalnet',
    operation: 'professionalnet.posts.search',
    sql: 'SELECT substr(urn, 10) FROM professionalnet_posts',
    pageSize: 10,
    price: 4,
  },
]

describe('watch --once --out', () => {
  const watch = 'watch coffee --once'
  const said = expect.stringMatching(/: \d+ new posts? · \d+ credits/) as unknown

  it('stores each post of both networks once in ten nights, three of which end with SIGKILL', async () => {
    let last = 30
    for (let night = 0; night < 10; night++) {
      if (night > 0) {
        server.publish({ microblog: posts(last, last + 25), professionalnet: networkPosts(last, last + 25) })
        last += 25
      }
      const isKilled = [3, 4, 7].includes(night)
      const runs = await Promise.all(
        networks.map(({ network }) =>
          runCommand(`${watch} --network ${network}`, isKilled ? killedAfter(1 + (night % 3)) : {}),
        ),
      )
      if (!isKilled) expect(runs).toMatchObject(Array(2).fill({ code: 0, out: '', err: said }))
    }
    for (const { sql, pageSize, price, operation } of networks) {
      expect(numbersOf(out, sql)).toEqual([...range(0, pageSize), ...range(30, last)])
      // A night reads its new posts, and down to three known ones. A kill buys a page again, and a gap ends with a page.
      const pages = 1 + 9 * Math.ceil((25 + 3) / pageSize) + 3 * 2
      const charged = server.requests.filter((each) => each.operation === operation && each.charged > 0)
      expect(charged.length * price).toBeLessThanOrEqual(price * pages)
    }
    expect(besides()).toEqual([basename(out)])

    const before = server.requests.length
    await Promise.all(networks.map(({ network }) => runCommand(`${watch} --network ${network}`)))
    expect(server.requests.length - before).toBe(2)
  })
})
