import { type Call, type Send, wrapCalls } from '../extend.ts'
import type { Operation } from '../api/operation.ts'
import { itemsOf } from '../api/list-items.ts'
import { isRecord } from '../lib/is-record.ts'
import type { Observer } from '../index.ts'

/** What Node and browsers have, and TypeScript does not know yet. */
interface ExactJson {
  parse(
    text: string,
    revive: (name: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown
  rawJSON(text: string): unknown
}
const json = JSON as unknown as ExactJson

/** Records as they were sent: a number that JavaScript would round, such as an id of 64 bits, keeps its digits when written. */
export class ExactRecords {
  readonly #texts = new WeakMap<object, string>()

  /** Sees the answers of a client. */
  readonly observer: Observer = wrapCalls({}, (send: Send) => async (call: Call) => {
    const answer = await send(call)
    if (isRecord(answer.body)) this.#texts.set(answer.body, answer.text)
    return answer
  })

  /** The records of a page; undefined if it has no list. Documented records have no such numbers. */
  of(operation: Operation, page: object): readonly unknown[] | undefined {
    const text = this.#texts.get(page)
    return itemsOf(operation, operation.documented || text === undefined ? page : exact(text)) ?? undefined
  }
}

/** Parses JSON whose numbers keep their digits when it is written again. */
export function exact(text: string): unknown {
  try {
    return json.parse(text, (_, value, { source }) =>
      typeof value === 'number' && source !== undefined && String(value) !== source
        ? json.rawJSON(source)
        : value,
    )
  } catch {
    // Nested too deeply to be followed.
    return JSON.parse(text)
  }
}
