import { expect, it } from 'vitest'
import { messages } from '../../src/weblocks/messages.ts'
import { channelName } from '../../src/weblocks/options.ts'

const share = { id: 'text', inFlight: 'amount', perMinute: 'amount' }
const snapshot = {
  grants: [
    {
      call: 'text',
      tabId: 'text',
      leader: 'text',
      surface: 'text or null',
      share,
      age: 'amount',
      answered: 'amount or null',
      open: 'flag',
    },
  ],
  holds: [{ surface: 'text or null', remaining: 'amount', probe: 'text or null' }],
}
const request = {
  call: 'text',
  surface: 'text or null',
  share,
  priority: 'number',
  resumed: 'flag',
  patience: 'number',
  maxQueueWait: 'number',
}

/** The number of the channel, and the messages that it stands for. */
const known = {
  number: '3',
  messages: {
    newTab: { tabId: 'text' },
    leader: { leader: 'text', to: 'text or null', snapshot },
    tabState: { tabId: 'text', to: 'text', leases: ['text'], queue: [request], snapshot },
    acquire: { tabId: 'text', to: 'text', request },
    cancel: { call: 'text' },
    grant: { leader: 'text', tabId: 'text', call: 'text', surface: 'text or null', share, paced: 'amount' },
    reject: { leader: 'text', call: 'text', remaining: 'amount', reason: 'reason' },
    sent: { call: 'text' },
    answered: { call: 'text', date: 'number or null' },
    release: { call: 'text' },
    hold: { surface: 'text or null', ms: 'amount' },
    tabClosed: { tabId: 'text' },
    ping: { tabId: 'text', to: 'text or null' },
    pong: { leader: 'text' },
  },
}

it('channelName() has another number when the messages change, so that two versions of a page do not mix', () => {
  const shapes = Object.entries(messages).map(([kind, guard]) => [kind, explore(guard).shape])
  const number = channelName('acme').split('/')[1]
  const advice =
    number === known.number
      ? `tabs of number ${known.number} do not understand these messages: raise the number in channelName(), then write the number and messages here`
      : 'write the new number and messages here'
  expect({ number, messages: Object.fromEntries(shapes) }, advice).toEqual(known)
})

type Accepts = (value: unknown) => boolean

const examples = { number: -1, amount: 1, text: 'x', reason: 'pace', flag: true, null: null }

/** Finds out what a guard accepts, and an example of it. */
function explore(accepts: Accepts): { shape: unknown; example: unknown } {
  if (accepts([])) return { shape: [explore((item) => accepts([item])).shape], example: [] }
  const names = Object.keys(examples).filter((name) => accepts(examples[name as keyof typeof examples]))
  const [first] = names
  if (first === undefined) return exploreFields(accepts)
  // Whatever takes a negative number takes a positive one, and whatever takes any text takes a reason.
  const implied = ['amount', 'reason'].filter((name) => name !== first)
  const shape = names.filter((name) => !implied.includes(name)).join(' or ')
  return { shape, example: examples[first as keyof typeof examples] }
}

/** Adds the field that the guard reads last, until it accepts the record. */
function exploreFields(accepts: Accepts): { shape: unknown; example: unknown } {
  const shape: Record<string, unknown> = {}
  const example: Record<string, unknown> = {}
  let read = ''
  const acceptsWith = (more: object): boolean => {
    const fields: Record<string, unknown> = { ...example, ...more }
    return accepts(new Proxy(fields, { get: (_, name) => fields[(read = String(name))] }))
  }
  while (!acceptsWith({})) {
    const name = read
    if (Object.hasOwn(example, name) || name === '') throw new Error(`no example fits the field ${name}`)
    const field = explore((value) => acceptsWith({ [name]: value }) || read !== name)
    shape[name] = field.shape
    example[name] = field.example
  }
  return { shape, example }
}
