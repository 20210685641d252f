/**
 * Compares answers full of escapes with an ordinary one of the same length: who writes a post must not decide how long a program
 * stands still. Fails if a call takes more than ten times the CPU time. Also says, for 15 MB, how long the event loop stood still, and the
 * most memory of the process.
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { SocialSearch } from '../src/index.ts'

const ordinary = 'The new release is out, and everyone likes it so far. '
const escapes = [
  ...['%25%2525&amp;amp;+\\u0025"', '%25', '%25255c', '%e2%80%9c'],
  ...['&amp;', '&lt;', '&#45', '&#37;', '&hyphen;', '\\x6f', '\\u0025', '\\u{6f}'],
]
/** What only begins like an escape or like the key, or has an escape within it. */
const fragments = [
  ...['% ', '%%35', 'a%', '%u', '%3', '&#', '&a', 'é&', '\\', '"', '\n', '\\u', 'a\\', '%5c', '&&&&&&&amp'],
  ...[
    '%%%%%%%%%%% ',
    '%aaaaaaaaaaaa ',
    '&#0000',
    '\\u{0000',
    '&abcdefghijklmnopqrstuvwxyz',
    '%'.repeat(25) + ' ',
  ],
  ...['%6f%72%67%5f', '%6frg_live_5f2b8c1d9e70a34 ', 'org_live_%'],
]
const units = [...escapes, ...fragments]
const mostTimes = 10
const rounds = 15
const commentLength = 1000

/** An answer with so many characters of text. */
function answerOf(unit: string, length: number): string {
  const text = unit.repeat(commentLength).slice(0, commentLength)
  const fields = { profileUrl: 'p', authorName: 'a', authorHeadline: 'h', timestamp: '2026-11-28T00:00:00Z' }
  const count = Math.ceil(length / (JSON.stringify(text).length + 120))
  const comments = Array.from({ length: count }, () => ({ ...fields, text, permalink: 'l' }))
  return JSON.stringify({
    requestId: 'req_1',
    comments,
    meta: { returnedCount: count, creditsCharged: count },
  })
}

async function call(answer: string): Promise<void> {
  const client = new SocialSearch({
    ...{ baseUrl: 'https://api.example.com/v1', apiKey: 'org_live_5f2b8c1d9e70a346', logger: false },
    ...{ limits: { perMinute: false }, fetch: () => Promise.resolve(new Response(answer)) },
  })
  await client.professionalnet.posts.comments({ postUrl: 'https://p.example/1', maxComments: 1000 })
}

const [large] = process.argv.slice(2)
if (large === undefined) await compare()
else await measureLarge(large)

async function compare(): Promise<void> {
  const all = [ordinary, ...units]
  const answers = all.map((unit) => answerOf(unit, 1_000_000))
  const least = all.map(() => Infinity)
  for (let round = 0; round < rounds; round++)
    for (const [index, answer] of answers.entries()) {
      const start = process.cpuUsage()
      await call(answer)
      const { user, system } = process.cpuUsage(start)
      least[index] = Math.min(least[index] ?? Infinity, (user + system) / answer.length)
    }
  const [base = NaN] = least
  const ratios = least.map((time) => time / base)
  console.log('| text | CPU time × ordinary text | 15 MB: loop stands still, ms | memory, MB |')
  console.log('| --- | --: | --: | --: |')
  for (const [index, unit] of all.entries()) {
    const isShown = index < 5 || ratios[index] === Math.max(...ratios)
    const script = fileURLToPath(import.meta.url)
    const told = isShown ? execFileSync(process.execPath, [script, unit], { encoding: 'utf8' }).trim() : ' | '
    console.log(`| ${JSON.stringify(unit).replaceAll('|', '\\|')} | ${ratios[index]?.toFixed(1)} | ${told} |`)
  }
  const worst = Math.max(...ratios)
  console.log(`${worst <= mostTimes ? '✓' : '✗'} ${worst.toFixed(1)} times at most, ${mostTimes} allowed`)
  if (worst > mostTimes) process.exitCode = 1
}

/** In a process of its own, since memory is that of a process. */
async function measureLarge(unit: string): Promise<void> {
  await call(answerOf(unit, 1000))
  const answer = answerOf(unit, 15_000_000)
  let latest = performance.now()
  let longest = 0
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - latest)
    latest = performance.now()
  }, 1)
  await call(answer)
  await new Promise((resolve) => setTimeout(resolve, 20))
  clearInterval(timer)
  console.log(`${Math.round(longest)} | ${Math.round(process.resourceUsage().maxRSS / 1024)}`)
}
