import { clientPlaces } from './client-places.ts'
import { type Inspect, everything } from './look.ts'
import { pathPlaces } from './path-places.ts'
import { type Place, type Sdk, baseUrl, caught } from './sdk.ts'
import { occurrences, secrets } from './secrets.ts'

/** What one place was found to show. */
export interface Row {
  readonly surface: string
  /** Occurrences of a secret. */
  readonly found: number
  /** Leaks on purpose: a look that finds nothing here is blind. */
  readonly control?: true
}

/** What is wrong with rows: secrets that were found, and controls that were not. */
export function complaints(rows: readonly Row[]): string[] {
  return rows.flatMap(({ surface, found, control }) => {
    if (control === true) return found === 0 ? [`${surface} was not found`] : []
    return found > 0 ? [`${surface} shows a secret`] : []
  })
}

/** Passes secrets everywhere the package accepts them, makes calls fail, and searches every reachable value. */
export async function probe(sdk: Sdk, inspect: Inspect): Promise<Row[]> {
  const rows: Row[] = []
  const places: Place[] = [...clientPlaces(sdk), ...pathPlaces(sdk)]
  for (const [surface, show] of places) {
    const isError = /^\w+Error$/.test(surface)
    const values = isError ? [await caught(show)] : ((await show()) as unknown[])
    if (values.length === 0 || values.includes(undefined))
      throw new Error(`there is nothing to see of ${surface}`)
    const { name } = values[0] as Error
    if (isError && name !== surface) throw new Error(`expected a ${surface}, got ${name}`)
    rows.push({ surface, found: foundIn(values, inspect) })
  }
  const leaks = Object.entries(controls).map(
    ([name, leak]) =>
      ({ surface: `control: ${name}`, found: foundIn([leak], inspect), control: true }) as const,
  )
  return [...rows, ...leaks]
}

function foundIn(values: readonly unknown[], inspect: Inspect): number {
  return values.reduce<number>((sum, value) => sum + occurrences(everything(value, inspect)), 0)
}

const { apiKey } = secrets

/** A value for each place that a look has to reach. */
const controls: Readonly<Record<string, unknown>> = {
  'the cause of a cause': new Error('x', { cause: new Error('y', { cause: new Error(apiKey) }) }),
  'a stack': Object.assign(new Error('x'), { stack: apiKey }),
  'a hidden property': Object.defineProperty({}, 'hidden', { value: { deep: [apiKey] }, enumerable: false }),
  'a getter': Object.create({
    get late() {
      return apiKey
    },
  }) as object,
  'a symbol': { [Symbol('x')]: apiKey },
  toJSON: { toJSON: () => ({ apiKey }) },
  'a map': new Map([[{ apiKey }, 1]]),
  headers: new Headers({ 'x-key': apiKey }),
  'a request': new Error('x', {
    cause: { request: new Request(baseUrl, { headers: { authorization: apiKey } }) },
  }),
  bytes: { body: new TextEncoder().encode(apiKey) },
  base64: [btoa(apiKey)],
  'the first characters': [apiKey.slice(0, 13)],
}
