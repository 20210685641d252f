import { inPage } from '../lib/browser.ts'

/**
 * Reports when the browser freezes or resumes this page; it never freezes a worker. Returns a function that stops
 * watching.
 *
 * A page in the back/forward cache fires `pagehide`, other pages fire `freeze`, and some fire both.
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
