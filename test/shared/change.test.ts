import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Changed,
  type LimiterState,
  type OwnRequest,
  type ProcessReport,
  type Rules,
  allowedFrom,
  changeState,
} from '../../src/extensions/shared/limiter-state.ts'
import type { Snapshot } from '../../src/extensions/shared/versioned-state.ts'

const rules: Rules = { inFlight: 2, perMinute: 3, windowMs: 60_020, leaseMs: 15_000 }

/** What the store has, and what processes know and have in flight. */
let text: string | undefined
let states: number
let known: Map<string, Snapshot<LimiterState>>
let requests: Map<string, Map<string, OwnRequest>>
beforeEach(() => {
  const times = { version: 0, time: 0, clockOffset: 0, createdAt: 0, grantsFrom: 0 }
  const empty = { aliveUntil: {}, open: {}, arrivals: {}, queue: [], closedUntil: {} }
  text = JSON.stringify({ stateId: 'state 0', ...times, ...empty })
  states = 1
  ;[known, requests] = [new Map(), new Map()]
})

/** Such as `a:10`. */
function timeOf(value: string): [string, number] {
  const [surface = '', time = ''] = value.split(':')
  return [`:${surface}`, Number(time)]
}

/**
 * Updates one process: `20 3 a*2 end` is process 3 at 20 ms, whose requests have ended, and which asks for two calls at the surface a. Calls
 * at `-` have no limit of their rate. `end` and `unsent` are for all of its requests, `late` for a reply that does not come.
 */
function update(step: string): Changed & { readonly process: string; readonly granted: string[] } {
  const [time, process = '', ...words] = step.split(' ')
  const now = Number(time)
  const own = requests.get(process) ?? new Map<string, OwnRequest>()
  requests.set(process, own)
  const sent = { at: now, answered: now }
  for (const [id, request] of own) {
    if (words.includes('end')) own.set(id, { ...request, hasEnded: true, sent })
    if (words.includes('unsent')) own.set(id, { ...request, hasEnded: true, sent: undefined })
  }
  const asked = words.filter((word) => /^(-|[a-z])(\*\d)?$/.test(word)).map((word) => word.split('*'))
  const closed = words.filter((word) => word.startsWith('closed=')).map((word) => timeOf(word.slice(7)))
  const waiting = asked.map(([name, calls = 1]) => [name === '-' ? '' : `:${name}`, Number(calls)] as const)
  for (const [surface, closedUntil] of closed)
    own.set(surface, { surface, sent: undefined, hasEnded: true, closedUntil })
  const report: ProcessReport = { process, requests: new Map(own), waiting: new Map(waiting) }
  const times = { clock: now, readAt: now, receivedAt: now }
  const changed = changeState(text, times, known.get(process), report, rules, `state ${states++}`)
  if (changed.isChanged) text = JSON.stringify(changed.state)
  if (words.includes('late')) return { ...changed, process, granted: [] }
  known.set(process, { ...times, state: structuredClone(changed.state) })
  for (const [id, { hasEnded }] of own) if (hasEnded) own.delete(id)
  const open = Object.entries(changed.state.open).filter(
    ([id, each]) => each.process === process && !own.has(id),
  )
  for (const [id, { surface }] of open) own.set(id, { surface, hasEnded: false, sent })
  return { ...changed, process, granted: open.map(([, { surface }]) => surface.slice(1) || '-') }
}

/** What comes of an update, such as `gets a a, waits b 14990, wakes 4`. */
function outcomeOf({ state, toNotify, isChanged, process, granted }: ReturnType<typeof update>): string {
  const waits = state.queue.filter((waiter) => waiter.process === process)
  const words = waits.map(({ surface, calls }) => {
    const from = allowedFrom(state, process, surface, rules)
    const name = (surface.slice(1) || '-') + (calls > 1 ? `*${calls}` : '')
    return from > state.time ? `${name} for ${from - state.time}` : name
  })
  return [
    granted.length > 0 && `gets ${granted.join(' ')}`,
    words.length > 0 && `waits ${words.join(' ')}`,
    toNotify.length > 0 && `wakes ${toNotify.join(' ')}`,
    !isChanged && 'unchanged',
  ]
    .filter(Boolean)
    .join(', ')
}

/** Who has requests in flight and places in the line, how many requests count at each surface, and which surfaces are closed. */
function contentsOf({ open, queue, arrivals, closedUntil, aliveUntil }: LimiterState): string {
  return [
    `open ${Object.values(open)
      .map(({ process }) => process)
      .join(' ')}`,
    `line ${queue.map(({ process }) => process).join(' ')}`,
    ...Object.entries(arrivals).map(([surface, times]) => `${surface.slice(1)}*${Object.keys(times).length}`),
    ...Object.keys(closedUntil).map((surface) => `closed${surface}`),
    `alive ${Object.keys(aliveUntil).join(' ')}`,
  ]
    .map((part) => part.trim())
    .join(', ')
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
    .replaceAll('taken', '0 1 - → gets - | 0 2 - → gets -')
    .split(/[|\n]/)
    .map((line) => line.trim())
    .filter(Boolean)
  const found = lines.map((line) => {
    const [step = ''] = line.split(' →')
    if (step === 'text') return `text → ${contentsOf(JSON.parse(text!) as LimiterState)}`
    if (happenings[step] === undefined) return `${step} → ${outcomeOf(update(step))}`.trim()
    happenings[step]()
    return step
  })
  expect(found).toEqual(lines)
}

const scenarios: Record<string, Record<string, string>> = {
  'changeState() grants slots': {
    'as many as requests may be in flight': `
0 1 a → gets a | 10 2 a*2 → gets a, waits a | 20 3 b → waits b`,
    'to one process that asks for several, in turns of its surfaces': `
0 1 a*2 b → gets a b, waits a`,
    'to the process that has waited longest, and wakes it': `
taken | 10 3 - → waits - | 20 4 - → waits - | 30 1 end → wakes 3 | 40 4 - → waits -, unchanged | 3000 3 → gets -, unchanged`,
    'to a process that has not asked for its first one yet, if it has waited longest': `
taken | 10 3 - → waits - | 20 4 - → waits - | 30 1 end → wakes 3 | 40 2 end → wakes 4 | 50 4 → gets -, unchanged
60 3 → gets -, unchanged`,
    'that a process does not know of again, after a lost reply': `
0 1 a late → | 10 1 → gets a, unchanged | 20 2 b → gets b | 30 3 - → waits -`,
    'to others before a process that has had one': `
taken | 10 3 -*2 → waits -*2 | 20 4 - → waits - | 30 1 end → wakes 3 | 40 3 -*2 → gets -, waits -*2 | 50 2 end → wakes 4`,
    'of requests that were never sent': `
taken | 10 3 - → waits - | 30 1 unsent → wakes 3 | 40 3 → gets -, unchanged`,
    'and gives up the places of calls that have left': `
taken | 10 3 - → waits - | 20 4 - → waits - | 30 3 → | 40 1 end → wakes 4`,
    'of a silent process to others after its lease, and drops its place': `
0 1 a → gets a | 0 2 a → gets a | 1 1 b → waits b | 14999 4 - → waits - | 15000 5 - → gets -, wakes 4 | 15010 4 → gets -, unchanged`,
    'of a silent process also if it comes back first: then it is behind the others': `
taken | 10 3 - → waits - | 5100 3 - → waits - | 10200 3 - → waits - | 15010 1 → wakes 3`,
    'to nobody while a process that was thought dead has its request still in flight': `
taken | 15000 3 - → gets - | 15001 4 - → gets - | 15002 1 → | 15010 3 end → | 15020 5 - → waits -`,
  },
  'changeState() closes a surface': {
    'until the latest time that a process announces, and no other surface': `
0 1 closed=a:3000 → wakes * | 10 1 closed=a:5000 → wakes * | 10 1 closed=a:100 → wakes *, unchanged
20 2 a → waits a for 4980 | 30 3 b → gets b | 5000 2 a → gets a | text → open 3 2, line, alive 2 3`,
    'and grants slots to processes at other surfaces': `
taken | 10 3 a → waits a | 20 4 b → waits b | 30 3 a closed=a:5000 → waits a for 4970, wakes * | 40 1 end → wakes 4`,
  },
  'changeState() changes the text': {
    'not when a process is refused again, until a third of its lease has passed': `
taken | 10 3 - → waits - | 20 3 - → waits -, unchanged | 5009 3 - → waits -, unchanged | 5010 3 - → waits -`,
    'not when a process updates that has nothing to report': `
taken | 10 3 → unchanged | text → open 1 2, line, alive 1 2`,
    'not when a process reports a closure that is over': `
5000 1 closed=a:4000 → wakes *, unchanged`,
    'when the lease of a process with a request in flight is due': `
0 1 - → gets - | 4000 1 → unchanged | 5000 1 →`,
    'when requests no longer count, and forgets their process before': `
0 1 a → gets a | 10 1 end → | text → open, line, a*1, alive | 60029 2 → unchanged | 60030 2 → | text → open, line, alive`,
  },
  'changeState() keeps the pace': {
    'of each surface, for a span from the latest arrival of each request, and of those in flight': `
0 1 a → gets a | 10 1 a end → gets a | 20 1 a end → gets a | 100 2 a → waits a for 59930 | 110 2 b → gets b
60029 2 a end → waits a for 1 | 60030 2 a → gets a`,
    'and says how long a process waits behind others at its surface': `
0 1 a → gets a | 1000 1 a end → gets a | 2000 1 a end → gets a | 3000 1 end → | 10000 4 a → waits a for 51020
10001 5 a → waits a for 52019 | 10002 6 a → waits a for 53018 | 10003 7 a → waits a for 53017`,
    'also after the process that has sent died': `
0 1 a*2 → gets a a | 1 2 a → waits a | 5001 2 a → waits a | 10001 2 a → waits a | 15000 2 → | text → open, line, a*2, alive
15010 2 a → gets a | 15020 2 a end → waits a for 60020`,
    'and counts a request from when it was sent, also if its process was taken for dead before': `
0 1 a → gets a | 16000 2 a*2 → gets a a | 20000 1 end → | 20010 2 a*2 end → waits a*2 for 60010`,
    'and grants a slot to a process at another surface meanwhile': `
0 1 a*2 → gets a a | 10 1 a end → gets a | 20 4 a → waits a for 60010 | 30 3 b → gets b`,
    'not of calls without a surface': `
0 1 - → gets - | 1 1 - end → gets - | 2 1 - end → gets - | 3 1 - end → gets - | 4 1 - end → gets -`,
    'and does not count what was never sent': `
0 1 a*2 → gets a a | 10 1 a*2 unsent → gets a a | 20 1 a*2 unsent → gets a a`,
  },
  'changeState() restores what the store has lost': {
    'when it is empty: slots, places, requests and closed surfaces, and grants nothing for some time': `
0 1 - → gets - | 5 4 - → gets - | 8 2 a → waits a | 10 3 closed=b:50000 → wakes * | lose | 1000 3 c → waits c for 3000, wakes *
1010 1 → unchanged | 3999 5 a → waits a for 1 | 4010 1 end → wakes 2 | 4020 6 b → waits b for 45980
text → open 4 2, line 3 5 6, closed:b, alive 2 3 4 5 6`,
    'when it has an older text, in a new state': `
0 1 → unchanged | save | 10 1 a → gets a | roll back | 20 1 → wakes * | 25 2 a → waits a for 2995 | 30 1 → unchanged`,
    'from each process that has seen the lost state, also after another one has begun a new state': `
taken | 10 3 a → waits a | lose | 20 4 a → waits a for 200, wakes * | 220 4 a → gets a | 230 3 a → waits a for 2790
3010 5 - → waits - for 10 | 3100 5 - → waits -, unchanged
text → open 4 1 2, line 3 5, alive 1 2 3 4 5`,
    'but no place that its process has taken again in the new state': `
taken | 10 3 - → waits - | 20 1 → unchanged | lose | 30 3 - → waits - for 3000, wakes * | 40 1 → unchanged | text → open 1 2, line 3, alive 1 2 3`,
    'but for requests that have ended since, as their process knows': `
taken | 10 3 - → waits - | 20 1 end → wakes 3 | lose | 30 2 → wakes * | 35 3 → unchanged | text → open 1 2, line, alive 1 2 | 40 1 →
text → open 2 3, line, alive 2 3 | 50 3 → | text → open 2, line, alive 2`,
  },
}

describe.each(Object.entries(scenarios))('%s', (_, each) => {
  it.each(Object.entries(each))('%s', (_, steps) => run(steps))
})

describe('changeState()', () => {
  it.each([undefined, '', 'null', '[]', '{'])(
    'begins anew when the store has another text than a state: %j',
    (other) => {
      text = other
      run('0 1 a → waits a for 200, wakes * | 200 1 a → gets a')
    },
  )
})
