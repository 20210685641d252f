import {
  type EventOptions,
  type ReceivedEvent,
  createEventReceiver,
} from '../../src/extensions/events/index.ts'

export const secret = 'whsec_canary_91b7'
export const url = 'https://receiver.example/events'

/** A request with an event, unless the init says otherwise. */
export function eventRequest(init: RequestInit & { duplex?: 'half' }, target = url): Request {
  return new Request(target, { method: 'POST', headers: { 'content-type': 'application/json' }, ...init })
}

/** A receiver that lets everything in, and what has come of it. */
export function makeReceiver(options: Partial<EventOptions> = {}) {
  const events: ReceivedEvent[] = []
  const errors: unknown[] = []
  const works: Promise<void>[] = []
  const receive = createEventReceiver({
    verify: () => true,
    onEvent: (event) => void events.push(event),
    onError: (error) => void errors.push(error),
    waitUntil: (work) => void works.push(work),
    ...options,
  })
  /** Resolves with the status when the work is done, too. */
  const post = async (
    body: BodyInit,
    headers: Record<string, string> = {},
    target = url,
  ): Promise<number> => {
    const all = { 'content-type': 'application/json', ...headers }
    const { status } = await receive(eventRequest({ headers: all, body }, target))
    await Promise.all(works)
    return status
  }
  return { events, errors, receive, post }
}
