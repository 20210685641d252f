import { useMemo, useSyncExternalStore } from 'react'

/** What the address holds, by name. The page keeps its state there, so that a link shows the same. */
export type Address = Partial<Record<string, string>>

const readAddress = (): Address => Object.fromEntries(new URLSearchParams(location.search))

export function useAddress(): Address {
  const search = useSyncExternalStore(subscribe, () => location.search)
  return useMemo(readAddress, [search])
}

/** Changes parts of the address; an empty text removes one. `replace` adds no step for the back button. */
export function go(change: Address, { replace = false } = {}): void {
  const search = String(new URLSearchParams(entriesOf({ ...readAddress(), ...change })))
  const url = search ? `?${search}` : location.pathname
  if (replace) history.replaceState(null, '', url)
  else history.pushState(null, '', url)
  dispatchEvent(new PopStateEvent('popstate'))
}

/** Moves the focus to the field of the search, whatever view is open. */
export function goToSearch(): void {
  if (!document.querySelector('#search')) go({ tab: '' })
  requestAnimationFrame(() => document.querySelector<HTMLElement>('#search input')?.focus())
}

function entriesOf(address: Address): [string, string][] {
  return Object.entries(address).filter((entry): entry is [string, string] => Boolean(entry[1]))
}

function subscribe(onChange: () => void) {
  addEventListener('popstate', onChange)
  return () => removeEventListener('popstate', onChange)
}
