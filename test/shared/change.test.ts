import { beforeEach, describe, expect, it } from 'vitest'
import { type Changed, changeState } from '../../src/extensions/shared/limiter-change.ts'
import type { LimiterState, Rules } from '../../src/extensions/shared/limiter-state.ts'
import type { Report } from '../../src/extensions/shared/limiter-grants.ts'

const rules: Rules = { inFlight: 2, perMinute: 3, windowMs: 60_020, leaseMs: 15_000 }

/** What the store has, and what processes know and have sent. */
let text: string | undefined
let states: number
let known: Map<string, LimiterState>
let arrivals: Map<string, Record<string, number[]>>
beforeEach(() => {
  const times = { version: 0, time: 0, clockOffset: 0, createdAt: 0, grantsFrom: 0 }
  text = JSON.stringify({ stateId: 'state 0', ...times, processes: {}, closures: {} })
  states = 1
  ;[known, arrivals] = [new Map(), new Map()]
})

/** What a process may report in a step, besides the surfaces of its calls. */
const reports: Record<string, (value: string) => Partial<Report>> = {
  slots: (value) => ({ slots: Number(value) }),
  offerMs: (value) => ({ offerMs: Number(value) }),
  perSlot: (value) => ({ requestsPerSlot: Number(value) }),
  arrivesWithin: (value) => ({ arrivesWithinMs: Number(value) }),
  sent: (value) => ({ arrivals: timesOf(value) }),
  closedUntil: (value) => ({ closures: timesOf(value).map(([surface, [at = 0]]) => [surface, at]) }),
}

/** Such as `a:10,20`. */
function timesOf(value: string): [string, number[]][] {
  const [surface = '', times = ''] = value.split(':')
  return [[`:${surface}`, times.split(',').filter(Boolean).map(Number)]]
}

/**
 * Updates one process: `20 3 a*2 slots=1` is process 3 at 20 ms, which has one slot and asks for two calls at the surface a. Calls at `-`
 * have no limit of their rate.
 */
function update(step: string): Changed {
  const [time, process = '', ...words] = step.split(' ')
  const now = Number(time)
  const asked = words.filter((word) => !word.includes('=')).map((word) => word.split('*'))
  const reported = words.filter((word) => word.includes('=')).map((word) => word.split('='))
  const waiting = asked.map(([name, calls = 1]) => [name === '-' ? '' : `:${name}`, Number(calls)] as const)
  const report = (): Report => ({
    ...{ process, slots: 0, closures: [], arrivesWithinMs: 1000, offerMs: 200, requestsPerSlot: 1 },
    ...{ arrivals: Object.entries(arrivals.get(process) ?? {}), waiting: new Map(waiting) },
    ...(Object.assign({}, ...reported.map(([name = '', value = '']) => reports[name]!(value))) as object),
  })
  const reading = { clock: now, readAt: now, receivedAt: now, previous: undefined }
  const changed = changeState(text, reading, known.get(process), report, rules, `state ${states++}`)
  if (changed.isChanged) text = JSON.stringify(changed.state)
  known.set(process, structuredClone(changed.state))
  arrivals.set(process, structuredClone(changed.state.processes[process]?.arrivals ?? {}))
  return changed
}

/** What comes of an update, such as `granted*2, then slot 14990, wakes 4:0`. */
function outcomeOf({ grants, wakeUps, isChanged }: Changed): string {
  const replies = Array.from(grants.values(), ({ requests, waitReason }) => {
    const granted = requests > 1 ? `granted*${requests}` : 'granted'
    const why = waitReason && `${waitReason.reason} ${waitReason.ms}`
    return requests === 0 ? why : why === undefined ? granted : `${granted}, then ${why}`
  })
  const woken = wakeUps.map(([process, ms]) => `${process}:${ms}`).join(' ')
  return [...replies, woken && `wakes ${woken}`, !isChanged && 'unchanged'].filter(Boolean).join(', ')
}

/** Who is in the state, with the surplus of each at the surface a, and which surfaces are closed. */
function whoIsIn({ processes, closures }: LimiterState): string {
  const ids = Object.entries(processes).map(
    ([id, { surplus }]) => `${id}${surplus[':a'] ? `+${surplus[':a']}` : ''}`,
  )
  return [...ids, ...Object.keys(closures).map((surface) => `closed${surface}`)].join(' ')
}

let saved: string | undefined
/** Steps besides updates. */
const happenings: Record<string, () => void> = {
  save: () => (saved = text),
  lose: () => (text = undefined),
  'roll back': () => (text = saved),
}

/** Runs steps, each with what must come of it after an arrow; `taken` is for two processes that take the slots. */
function run(steps: string): void {
  const lines = steps
    .replaceAll('taken', '0 1 - → granted | 0 2 - → granted')
    .split(/[|\n]/)
    .map((line) => line.trim())
    .filter(Boolean)
  const found = lines.map((line) => {
    const [step = ''] = line.split(' →')
    if (step === 'who') return `who → ${whoIsIn(JSON.parse(text!) as LimiterState)}`.trim()
    if (happenings[step] === undefined) return `${step} → ${outcomeOf(update(step))}`.trim()
    happenings[step]()
    return step
  })
  expect(found).toEqual(lines)
}

const scenarios: Record<string, Record<string, string>> = {
  'changeState() grants slots': {
    'as many as requests may be in flight, and says why the next call waits when the last is taken': `
0 1 a → granted | 10 2 a*2 → granted, then slot 14990 | 20 3 a → slot 14980`,
    'until the last free one is taken, also to one process that asks twice': `
0 1 a b - → granted, granted, slot 15000`,
    'to the process that has waited longest, to which they are offered': `
taken | 10 3 - → slot 14990 | 20 4 - → slot 14980 | 30 1 → wakes 3:0 4:200 | 40 4 - → behind 200, unchanged | 60 3 - → granted`,
    'to the next process only when the first one has had the time that it needs': `
taken | 10 3 - offerMs=900 → slot 14990 | 20 4 - → slot 14980 | 30 1 → wakes 3:0 4:900 | 529 4 - → behind 401, unchanged
929 4 - → behind 200, unchanged | 930 4 - → granted`,
    'without taking away the turn of processes to which no slot has been offered': `
taken | 10 3 - → slot 14990 | 20 4 - → slot 14980 | 30 1 → wakes 3:0 4:200 | 500 2 → wakes 4:0 | 600 5 - → granted | 610 6 - → behind 200
620 4 - → granted`,
    'to a process whose offer has ended when it is that process that asks': `
taken | 10 3 - → slot 14990 | 30 1 → wakes 3:0 | 900 3 - → granted`,
    'that were offered before and taken meanwhile, by a process that was thought dead': `
taken | 10 3 - → slot 14990 | 20 1 → wakes 3:0 | 30 1 → unchanged | 240 1 slots=1 → | 250 1 → wakes 3:0`,
    'to a process with further calls behind those that wait': `
taken | 10 3 -*2 → slot 14990 | 20 4 - → slot 14980 | 30 1 → wakes 3:0 4:200 | 40 3 -*2 → granted, then slot 14960
50 2 → wakes 4:0 3:200`,
    'to a process that takes up its offer before those that came after the offer': `
taken | 10 3 -*2 → slot 14990 | 20 1 → wakes 3:0 | 30 4 - → behind 200 | 40 3 -*2 → granted, then slot 14960 | 50 2 → wakes 3:0 4:200`,
    'to a process that takes a slot without an offer, which is then behind those that wait': `
taken | 10 3 -*2 → slot 14990 | 20 4 - → slot 14980 | 15005 3 -*2 → granted, then behind 200, wakes 4:0`,
    'to no process without further calls': `
taken | 10 3 - → slot 14990 | 30 1 → wakes 3:0 | 40 3 - → granted | 50 2 →`,
    'of a silent process to others after its lease, and its place': `
0 1 a → granted | 0 2 a → granted | 10 3 b sent=b:10 → slot 14990 | 14999 4 - → slot 1 | 15010 5 - → granted, wakes 4:0`,
    'to the calls of one process in turns, as many as are free': `
0 1 a*5 b*5 → granted, then slot 15000, granted, then slot 15000 | 10 2 -*5 → slot 14990 | 20 1 → wakes 2:0
30 2 -*5 → granted*2, then slot 14980`,
    'for several of many requests, as many as the process sends before another one would send': `
0 1 -*9 perSlot=3 → granted*6, then slot 15000 | 10 2 - → slot 14990`,
    'for several of few requests, in all slots that are free': `
0 1 -*2 perSlot=3 → granted*2 | 10 2 - → slot 14990`,
    'to nobody while more are in flight than allowed': `
taken | 10 3 - → slot 14990 | 10 4 - → slot 14990 | 10 5 - → slot 14990 | 20 1 slots=2 →`,
    'and says when the next lease of a process with a slot ends': `
0 9 sent=a:10 → | 100 1 - → granted | 100 2 - → granted | 200 3 - → slot 14900`,
  },
  'changeState() closes a surface': {
    'until the latest time that a process announces, and no other surface': `
0 1 closedUntil=a:3000 → wakes *:0 | 10 1 closedUntil=a:5000 → wakes *:0 | 10 1 closedUntil=a:100 → wakes *:0, unchanged
20 2 a → closed 4980 | 30 3 b → granted | 5000 2 a → granted | who → 2 3`,
    'and offers slots to processes at other surfaces': `
taken | 10 3 a → slot 14990 | 20 4 b → slot 14980 | 30 3 a closedUntil=a:5000 → closed 4970, wakes *:0 | 40 1 → wakes 4:0`,
  },
  'changeState() changes the text': {
    'not when a process is refused again, until its lease is due': `
taken | 10 3 - → slot 14990 | 20 3 - → slot 14980, unchanged | 100 3 - → slot 14900, unchanged | 5009 3 - → slot 9991, unchanged
5010 3 - → slot 9990`,
    'not when a process needs another time to take a slot': `
taken | 10 3 - → slot 14990 | 20 3 - offerMs=500 → slot 14980, unchanged`,
    'not when a process updates that has nothing to report': `
taken | 10 3 → unchanged | who → 1 2`,
    'not when a process reports a closure that is over': `
5000 1 closedUntil=a:4000 → wakes *:0, unchanged`,
    'when the lease of a process with a request in flight is due': `
0 1 slots=1 → | 4000 1 slots=1 → unchanged | 5000 1 slots=1 →`,
    'and renews the lease of the process then': `
0 1 slots=1 → | 4000 1 slots=2 → | 5000 3 - → slot 14000`,
    'when the requests of a process no longer count, and forgets it': `
0 1 sent=a:10 → | 60000 1 → | who → 1 | 60100 1 → | who →`,
  },
  'changeState() keeps the pace': {
    'of each surface, for a span from the latest arrival of each request': `
0 1 a → granted | 10 1 a → granted | 20 1 a → granted | 100 2 a → pace 60020 | 2000 2 a → pace 59020, unchanged | 2000 2 b → granted
61019 2 a → pace 1 | 61020 2 a → granted`,
    'also after the process that has sent ended, and then forgets it': `
0 1 a → granted | 10 1 a → granted | 20 1 a → granted | 30000 4 a → pace 31020 | who → 1 4 | 62000 4 → | who →`,
    'and says how long a process waits behind others at its surface, which come first if they have had less': `
0 1 a → granted | 1000 1 a → granted | 2000 1 a → granted | 3000 1 - → granted, unchanged | 3000 2 - → granted | 3001 8 - → slot 13999
3001 9 - → slot 13999 | 9000 1 a → pace 52020, wakes 8:0 9:200 | 10000 4 a → pace 51020, wakes 9:0 | 10001 5 a → pace 52019
10002 6 a → pace 53018 | 10003 7 a → pace 111037 | 10010 1 a → pace 291090, unchanged`,
    'and says that a request in flight may turn out to have arrived': `
0 1 a → granted | 10 1 a → granted | 20 1 a → granted | 500 2 a → pace 60020 | 1005 2 a → pace 60015, unchanged`,
    'and says so of a request of a far process, too': `
0 1 a arrivesWithin=7000 → granted | 10 1 a arrivesWithin=7000 → granted | 20 1 a arrivesWithin=7000 → granted | 500 2 a → pace 60020
60520 2 a → pace 6500`,
    'by the first arrival, whichever process has sent it': `
0 2 a → granted | 1000 1 a → granted | 2000 1 a → granted | 5000 3 a → pace 56020 | 5001 4 a → pace 57019`,
    'and passes a slot on to a process at another surface': `
0 1 a → granted | 10 1 a → granted | 20 1 a → granted | 30 1 - → granted, unchanged | 30 2 - → granted | 40 3 a → pace 60020
50 4 b → slot 14970 | 60 1 → wakes 4:0`,
    'of processes in line: slots are offered to no more than the surface has room for': `
0 1 a → granted | 10 1 a → granted | 30 1 - → granted, unchanged | 30 2 - → granted | 40 3 a → slot 14970 | 40 4 a → slot 14970
50 5 b → slot 14960 | 60 1 → wakes 3:0 4:200 | 70 2 → wakes 5:0 4:200 | 80 4 a → behind 200, unchanged`,
    'and leaves to others in line what they lack to as many requests': `
0 2 a*3 → granted*2, then slot 15000 | 1 3 a*3 → slot 14999 | 2 2 a → behind 200, wakes 3:0 | 3 3 a*3 → granted, then pace 60020`,
    'and leaves to others what they lack to a single request': `
0 1 a → granted | 0 2 a → granted | 10 3 a → slot 14990 | 20 2 a → behind 200, wakes 3:0`,
    'and leaves to one behind what it lacks to a single request': `
0 1 a → granted | 0 2 a → granted | 5 1 → | 5 2 → | 10 8 - → granted | 10 9 - → granted | 20 2 a → slot 14990 | 20 3 a → slot 14990
30 8 → wakes 3:0 2:200`,
    'and leaves to others what they lack to several requests with one slot': `
0 8 - → granted | 0 9 - → granted | 10 3 a → slot 14990 | 20 2 a*3 perSlot=3 → slot 14980 | 30 8 → wakes 3:0 2:200 | 30 9 → wakes 2:0
40 2 a*3 perSlot=3 → granted*2, then behind 200 | 50 3 a → granted`,
    'and leaves to others what they lacked in the minute before': `
0 1 a*3 perSlot=3 → granted*3 | 5000 2 a*9 → pace 56020 | 5010 1 a*9 → pace 116030 | 15000 2 a*9 → pace 46020
15010 1 a*9 → pace 106030 | 29000 2 a*9 → pace 32020 | 29010 1 a*9 → pace 92030 | 43000 2 a*9 → pace 18020 | 43010 1 a*9 → pace 78030
57000 2 a*9 → pace 4020 | 57010 1 a*9 → pace 64030 | 61030 1 a*9 → behind 200, wakes 2:0 | 61040 2 a*9 → granted*2, then slot 10960
61050 2 a*7 → granted, then pace 60020 | 122080 1 a → granted | 122100 2 → unchanged | who → 1`,
    'and remembers nothing of a process that is alone': `
0 1 a → granted | 10 1 a → granted | 20 1 a → granted | 61100 1 a → granted | who → 1`,
    'and leaves nothing to those that wait elsewhere': `
0 2 a*3 → granted*2, then slot 15000 | 10 3 - → slot 14990 | 20 2 a → granted, wakes 3:0`,
    'of two processes that the surface has room for': `
0 1 a → granted | 10 1 - → granted, unchanged | 10 2 - → granted | 20 3 a → slot 14980 | 20 4 a → slot 14980 | 30 1 → wakes 3:0 4:200
40 2 → wakes 4:0`,
    'not of calls without a surface': `
0 1 - → granted | 1 1 - → granted, unchanged | 2 1 - → granted, unchanged | 3 1 - → granted, unchanged | 4 1 - → granted, unchanged
10 1 - → granted, unchanged | 10 2 - → granted | 20 3 - → slot 14980 | 30 1 → wakes 3:0`,
  },
  'changeState() restores what the store has lost': {
    'when it is empty: slots, places, requests and closures, and grants nothing for some time': `
0 1 - → granted | 5 4 - slots=1 → slot 14995 | 10 3 closedUntil=b:50000 → wakes *:0 | lose | 1000 3 a → restoring 3000, wakes *:0
3999 5 a → restoring 1 | 4000 5 a → slot 12000, unchanged | 4010 6 b → closed 46990 | 4020 1 → wakes 3:0 4:200 | who → 3 4 5 6 closed:b`,
    'when it has an older text, in a new state': `
0 1 → unchanged | save | 10 1 a → granted | roll back | 20 1 sent=a:1010 → wakes *:0 | 25 2 a → restoring 2995 | 30 1 → unchanged`,
    'from each process that has seen the lost state, also after another one has begun a new state': `
taken | 10 3 a → slot 14990 | lose | 20 4 a → restoring 200, wakes *:0 | 220 4 a → granted | 230 3 → | 240 5 - → restoring 2780
3000 5 - → restoring 20, unchanged | 3010 2 slots=1 → unchanged | who → 1 2 4 5`,
    'and stores it, also when nothing else has changed': `
taken | lose | 20 4 a → restoring 200, wakes *:0 | 30 2 slots=1 →`,
    'and keeps the later part of a process': `
0 1 slots=1 → | 10 2 → unchanged | lose | 20 1 sent=a:20 → wakes *:0 | 30 2 → unchanged | 3100 3 - → granted | 3100 4 - → granted
who → 1 3 4`,
  },
}

describe.each(Object.entries(scenarios))('%s', (_, each) => {
  it.each(Object.entries(each))('%s', (_, steps) => run(steps))
})

describe('changeState()', () => {
  it('holds nobody back for more than a minute', () => {
    for (const [minute, surplus] of [2, 3, 3].entries()) {
      const at = minute * 70_000
      for (let i = 0; i < 5; i++) {
        const now = at + 10 + i * 14_000
        update(`${now} 1 a sent=a:${at + 10},${at + 20}`)
        update(`${now} 2 a sent=a:`)
      }
      expect(whoIsIn(update(`${at + 69_000} 2 a sent=a:`).state)).toContain(`1+${surplus}`)
    }
  })

  it.each([undefined, '', 'null', '[]', '{'])(
    'begins anew when the store has another text than a state: %j',
    (other) => {
      text = other
      run('0 1 a → restoring 200, wakes *:0 | 200 1 a → granted')
    },
  )
})
