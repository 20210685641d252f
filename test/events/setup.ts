import {
  type EventOptions,
  type ReceivedEvent,
  createEventReceiver,
} from '../../src/extensions/events/index.ts'

export const secret = 'whsec_Y2FuYXJ5XzkxYjdfY2FuYXJ5'
export const url = 'https://receiver.example/events'

/** A receiver that lets everything in, and what has come of it. */
export function makeReceiver(options: Partial<EventOptions> = {}) {
  const events: ReceivedEvent[] = []
  const errors: unknown[] = []
  const receive = createEventReceiver({
    verify: () => true,
    onEvent: (event) => void events.push(event),
    onError: (error) => void errors.push(error),
    ...options,
  })
  const post = async (body: BodyInit, headers: Record<string, string> = {}, target = url): Promise<number> =>
    (await receive(new Request(target, { method: 'POST', headers, body }))).status
  return { events, errors, receive, post }
}
