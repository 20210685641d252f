/**
 * Runs `npm test` on other dates, in other zones and environments: on all of {@link dates}, on some by their numbers, or, with
 * `commit`, on one that follows from the hash of the commit.
 */
import { spawnSync } from 'node:child_process'
import { partOfCommit } from './commit.ts'

interface Surroundings {
  readonly TEST_CLOCK: string
  readonly TZ: string
  readonly [name: string]: string
}

/** Most begin a minute before something happens. */
const dates: readonly (readonly [event: string, Surroundings])[] = [
  ['a leap day ends', { TEST_CLOCK: '2028-02-29T23:58:30Z', TZ: 'UTC', NO_COLOR: '1' }],
  ['a year ends', { TEST_CLOCK: '2027-12-31T23:59:00Z', TZ: 'Europe/London', FORCE_COLOR: '3' }],
  [
    'summer time begins in New York',
    { TEST_CLOCK: '2027-03-14T06:59:00Z', TZ: 'America/New_York', CI: 'true' },
  ],
  [
    'summer time ends in New York',
    { TEST_CLOCK: '2026-11-01T05:59:00Z', TZ: 'America/New_York', COLUMNS: '30' },
  ],
  [
    'summer time begins in Berlin',
    { TEST_CLOCK: '2027-03-28T00:59:00Z', TZ: 'Europe/Berlin', LC_ALL: 'de_DE.UTF-8' },
  ],
  [
    'summer time ends in Berlin',
    { TEST_CLOCK: '2027-10-31T00:59:00Z', TZ: 'Europe/Berlin', LANG: 'tr_TR.UTF-8' },
  ],
  ['a month begins in Apia', { TEST_CLOCK: '2027-06-30T10:59:00Z', TZ: 'Pacific/Apia', LC_ALL: 'C' }],
  ['a month begins in Kolkata', { TEST_CLOCK: '2027-04-30T18:29:00Z', TZ: 'Asia/Kolkata', TERM: 'dumb' }],
  ['ten years on', { TEST_CLOCK: '2036-11-27T12:00:00Z', TZ: 'America/Sao_Paulo', LANG: 'ar_EG.UTF-8' }],
  ['a Sunday in November', { TEST_CLOCK: '2026-11-29T18:01:00Z', TZ: 'UTC', NO_COLOR: '' }],
  [
    'a day begins in Chatham',
    { TEST_CLOCK: '2027-08-14T11:14:00Z', TZ: 'Pacific/Chatham', FORCE_COLOR: '0' },
  ],
  [
    'seconds no longer fit into 32 bits',
    { TEST_CLOCK: '2038-01-19T03:13:00Z', TZ: 'Pacific/Pago_Pago', NODE_ENV: 'production' },
  ],
]

const asked = process.argv.slice(2)
const chosen = asked.includes('commit')
  ? [dateOfCommit()]
  : dates.filter((_, index) => asked.length === 0 || asked.includes(String(index + 1)))

const failed = chosen.filter(([event, env]) => {
  const names = Object.entries(env).map((pair) => pair.join('='))
  console.log(`\n${event}: ${names.join(' ')} npm test`)
  const args = ['test', '--', '--reporter', 'dot', '--silent']
  return spawnSync('npm', args, { stdio: 'inherit', env: { ...process.env, ...env } }).status !== 0
})
for (const [event] of failed) console.error(`failed: ${event}`)
if (failed.length > 0) process.exitCode = 1

/** A moment of the next twenty years, with a zone and an environment, that follow from the commit. */
function dateOfCommit(): (typeof dates)[number] {
  const zones = Intl.supportedValuesOf('timeZone')
  const [, environment] = dates[partOfCommit(0) % dates.length] ?? []
  const time = new Date(Date.UTC(2026, 11) + (partOfCommit(1) % (20 * 366 * 86_400)) * 1000)
  const TZ = zones[partOfCommit(2) % zones.length] ?? 'UTC'
  return ['the date of this commit', { ...environment, TEST_CLOCK: time.toISOString(), TZ }]
}
