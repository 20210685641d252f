import { canonicalJson } from './canonical-json.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * What differs first between the params of a saved state and those of a call, in words; undefined if nothing does.
 *
 * @param except A param that may differ.
 */
export function differenceOf(state: object, call: object, except?: string): string | undefined {
  const name = Object.keys({ ...call, ...state }).find(
    (name) =>
      name !== except && canonicalJson((call as Fields)[name]) !== canonicalJson((state as Fields)[name]),
  )
  if (name === undefined) return undefined
  // Long values are cut.
  const [saved, asked] = [state, call].map((params) =>
    (canonicalJson((params as Fields)[name]) ?? 'missing').slice(0, 99),
  )
  return `${name} is ${saved} in the state and ${asked} in the call; pass the old value, or no state`
}
