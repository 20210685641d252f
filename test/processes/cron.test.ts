// The lines for cron in docs/jobs.md, run as cron does.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { serveSandbox } from '../support/sandbox.ts'
import { fromSources } from '../docs/run.ts'
import { samplesOf } from '../docs/samples.ts'
import { change, numbersOf, posts, range } from '../support/posts-database.ts'
import { buildCommand, serve } from './command.ts'

const execute = promisify(execFile)

/** A folder for a job, made by the commands of the page, and a service with twenty posts. */
async function jobFolder(hook = '') {
  const limits = { perMinute: false } as const
  // Its clock is that of the commands.
  const sandbox = await serveSandbox({ content: { microblog: posts(0, 20) }, now: () => Date.now(), limits })
  const { folder, file } = await buildCommand()
  onTestFinished(() => sandbox.close())
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  symlinkSync(file, join(folder, 'node_modules/.bin/social-search'))
  const samples = samplesOf('docs/jobs.md', 'sh').map((each) =>
    each
      .replace('https://api.example.com/v1', sandbox.baseUrl)
      .replace('your_key', sandbox.apiKey)
      .replace('https://hooks.example/posts', hook),
  )
  const scripts = samples.filter((each) => each.includes(' > job.env') || each.includes(' > send.sh'))
  const lines = samples
    .flatMap((each) => each.split('\n'))
    .filter((line) => line.includes('* * * /home/you/jobs/'))
  const { NODE_OPTIONS } = process.env
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`
  const shell = async (code: string) =>
    (await execute('sh', ['-c', code], { cwd: folder, env: { PATH, NODE_OPTIONS } })).stdout
  for (const script of scripts) await shell(script)
  return {
    sandbox,
    folder,
    /** What the page adds to the end of a line. */
    ends: samples.filter((each) => each.startsWith('&& ')),
    /** Runs a line of the crontab, as cron does; returns what cron would mail. */
    async night(part: string, end = ''): Promise<string> {
      const line = lines.find((each) => each.includes(part)) ?? ''
      const home = join(folder, 'home')
      const options = { cwd: '/', env: { HOME: home, NODE_OPTIONS, PATH: '/usr/bin:/bin' } }
      // Nights are more than a minute apart, so their requests share no limit.
      rmSync(home, { recursive: true, force: true })
      const command = line
        .replace(/^.* \* \* \* /, '')
        .replace('/home/you/jobs', folder)
        .replaceAll('\\%', '%')
      // cron does not mind how a line ends.
      const { stdout, stderr } = await execute('sh', ['-c', `${command} ${end.trimEnd()}; true`], options)
      return stdout + stderr
    },
    exits: () => readFileSync(join(folder, 'job.log'), 'utf8').match(/^exit \d+/gm),
  }
}

it('docs/jobs.md has lines for cron that store each post once in ten nights, log exit codes, and find what is new', async () => {
  const { sandbox, folder, night, exits } = await jobFolder()
  expect(statSync(join(folder, 'job.env')).mode & 0o777).toBe(0o600)
  for (let each = 0; each < 10; each++) {
    // The eighth night needs more than ten pages, and the ninth buys the rest.
    const published = each < 7 ? 20 + each : 260 + each
    await night('watch coffee')
    sandbox.publish(posts(published, each === 6 ? 267 : published + 1))
  }
  expect(exits()).toEqual([...Array<string>(7).fill('exit 0'), 'exit 5', 'exit 0', 'exit 0'])
  expect(numbersOf(join(folder, 'posts.db'), 'SELECT id FROM microblog_posts')).toEqual(range(0, 269))
  rmSync(join(folder, 'job.env'))
  await night('watch coffee')
  expect(exits()?.at(-1)).toBe('exit 1')
  expect(readFileSync(join(folder, 'job.log'), 'utf8')).toContain('job.env: No such file')
})

it('docs/jobs.md tells a failed night by mail, and each complete one to a monitor', async () => {
  let pings = 0
  const address = await serve((_, response) => {
    pings++
    response.end('OK')
  })
  const { folder, night, ends } = await jobFolder()
  const [ping] = ends.map((each) => each.replace('https://monitor.example/id', address))
  expect(await night('watch coffee', ping)).toBe('')
  expect(pings).toBe(1)
  rmSync(join(folder, 'job.env'))
  expect(await night('watch coffee', ping)).toMatch(/^exit 1 .+\n$/)
  expect(pings).toBe(1)
})

it('docs/jobs.md has lines for cron that look at brands, and write each morning which query has found what', async () => {
  const { sandbox, folder, night, exits } = await jobFolder()
  writeFileSync(join(folder, 'brands.txt'), 'acme\nglobex\n')
  sandbox.publish([{ id: '90', body: 'acme is old' }])
  await night('brands.txt')
  sandbox.publish(['acme', 'globex', 'acme and globex'].map((body, index) => ({ id: `9${index + 1}`, body })))
  // Fifteen minutes later, each of them is due.
  const due = "UPDATE social_search_searches SET state = json_set(state, '$.pace.at', 0)"
  change(join(folder, 'posts.db'), due)
  await night('brands.txt')
  await night('export posts.db')
  expect(exits()).toEqual(Array(3).fill('exit 0'))
  const name = readdirSync(folder).find((each) => each.startsWith('new-')) ?? ''
  expect(name).toMatch(/^new-\d{4}-\d\d-\d\d\.csv$/)
  expect(readFileSync(join(folder, 'job.log'), 'utf8')).toContain(`${name}: 3 rows\n`)
  const rows = readFileSync(join(folder, name), 'utf8').trim().split('\n')
  expect(rows[0]).toMatch(/^query,id,/)
  const found = rows.slice(1).map((row) => row.replace(/^([\w|]+),(\d+),.*/, '$1 $2'))
  expect(found.sort()).toEqual(['acme 91', 'acme|globex 93', 'globex 92'])
})

it('docs/jobs.md sends new posts to a webhook, again after a failure, and nothing when none is new', async () => {
  const received: string[] = []
  const receiver = await serve((request, response) => {
    void text(request).then((body) => {
      received.push(body)
      response.writeHead(received.length === 1 ? 500 : 200).end('{}')
    })
  })
  const { sandbox, folder, night, exits } = await jobFolder(receiver)
  await night('watch coffee')
  await night('send.sh')
  expect(readFileSync(join(folder, 'job.log'), 'utf8')).toMatch(/error: 500$/m)
  sandbox.publish(posts(20, 21))
  await night('watch coffee')
  for (let each = 0; each < 3; each++) await night('send.sh')
  expect(received.map((lines) => lines.split('\n').length - 1)).toEqual([20, 20, 1])
  expect(readdirSync(folder)).not.toContain('new.jsonl')
  expect(exits()).toEqual(['exit 0', 'exit 22', ...Array<string>(4).fill('exit 0')])
  expect(readFileSync(join(folder, 'job.log'), 'utf8').match(/^\{\}$/gm)).toHaveLength(2)
})

it('docs/jobs.md runs a program from cron, which makes no file without a key, and skips a night while its lock is held', async () => {
  const { folder, night, exits } = await jobFolder()
  const program = readFileSync(new URL('../../examples/nightly-job/job.ts', import.meta.url), 'utf8')
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  writeFileSync(join(folder, 'job.ts'), fromSources(program))
  const env = readFileSync(join(folder, 'job.env'))
  writeFileSync(join(folder, 'job.env'), '')
  await night('job.ts')
  expect(readdirSync(folder)).not.toContain('posts.db')
  writeFileSync(join(folder, 'job.env'), env)
  await night('job.ts')
  expect(readdirSync(folder)).toContain('posts.db')
  const holder = spawn('sh', ['-c', 'flock job.lock sh -c "echo held; read wait"'], { cwd: folder })
  await once(holder.stdout, 'data')
  await night('job.ts')
  holder.stdin.end()
  expect(exits()).toEqual(['exit 1', 'exit 0', 'exit 75'])
})
