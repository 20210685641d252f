import defaults from '../own-defaults.json' with { type: 'json' }
import { pageOf } from '../pages.ts'
import { pageIn } from '../params.ts'
import { createRandom } from '../random.ts'
import { SandboxError } from '../responses.ts'
import { topics } from '../topics.ts'

/** A brand or keyword monitor. Its fields are made up: the service documents none but the form of the id. */
export interface Listener {
  readonly id: string
  readonly name: string
  readonly keywords: readonly string[]
  readonly networks: readonly string[]
}

type Records = readonly { readonly id: string }[]

export function createListeners(seed: number): Listener[] {
  const random = createRandom(`${seed}/listeners`)
  return topics.map(({ keyword }) => ({
    ...{ id: `lis_${random.hex(16)}`, name: `Mentions of ${keyword}`, keywords: [keyword] },
    networks: defaults.listener.networks,
  }))
}

/** Saved views of mentions; their fields are made up as well. */
export function createFeeds(seed: number, listeners: readonly Listener[]): Records {
  const random = createRandom(`${seed}/feeds`)
  return ['Everything', 'Best fits', 'Engineering', 'Daily digest', 'For the team meeting'].map((name) => ({
    ...{ id: `svw_${random.hex(16)}`, name },
    listenerIds: listeners.filter(() => random.chance(0.5)).map(({ id }) => id),
  }))
}

/**
 * Lists records under a property, with the `meta` of a search by cursor. That and the parameters `cursor` and `count` are
 * made up: the service does not document these lists.
 */
export function listRecords(property: string, records: Records, input: unknown): object {
  const search = [property, records[0]?.id]
  const { page, meta } = pageOf({ ...pageIn(input, 100, 20), search }, () => records)
  return { [property]: page, meta }
}

/** Finds a record by its id. The body and the 404 are made up. */
export function getRecord<T extends { readonly id: string }>(
  property: string,
  records: readonly T[],
  id: string,
) {
  const record = records.find((each) => each.id === id)
  if (record === undefined) throw new SandboxError(404, { message: `No ${property} with the id ${id}` })
  return { [property]: record }
}
