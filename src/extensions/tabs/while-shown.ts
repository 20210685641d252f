import { inPage } from '../../lib/browser.ts'

/** Keeps something while the page is shown: a page with a channel or a lock would not enter the back/forward cache. */
export function whileShown(start: (isBack: boolean) => () => void): () => void {
  let stop = start(false)
  if (!inPage()) return () => stop()
  const onHide = (): void => stop()
  const onShow = ({ persisted }: PageTransitionEvent): void => {
    if (persisted) stop = start(true)
  }
  window.addEventListener('pagehide', onHide)
  window.addEventListener('pageshow', onShow)
  return () => {
    window.removeEventListener('pagehide', onHide)
    window.removeEventListener('pageshow', onShow)
    stop()
  }
}
