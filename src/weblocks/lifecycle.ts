import { inPage } from '../core/lib/runtime.ts'

/**
 * Tells when a page is put on ice, and when it goes on; in a worker, never. Returns a function that ends it.
 *
 * A page that is put into the back/forward cache is hidden, others are frozen, and some are both.
 */
export function watchPage(onFreeze: () => void, onResume: () => void): () => void {
  if (!inPage()) return () => {}
  const watching = new AbortController()
  const on = (target: EventTarget, type: string, listener: () => void): void =>
    target.addEventListener(type, listener, { signal: watching.signal })
  on(window, 'pagehide', onFreeze)
  on(document, 'freeze', onFreeze)
  on(window, 'pageshow', onResume)
  on(document, 'resume', onResume)
  return () => watching.abort()
}
