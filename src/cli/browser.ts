import { spawn } from 'node:child_process'
import { isRecord } from '../lib/is-record.ts'

/** The address is printed, too, so a machine without a browser needs no error. */
export function openBrowser(url: string): void {
  const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
    darwin: ['open'],
    win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  }
  const [command, ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

/** Opens the web page of a record. Other kinds of addresses are not opened: they come from strangers. */
export function openLink(record: unknown): void {
  const link = linkOf(record)
  if (link !== undefined) openBrowser(link)
}

/** The address of a record, or of the record in an answer. */
function linkOf(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined
  const links = [value['url'], value['share_url'], value['permalink'], value['profileUrl']]
  const link = links.find((link) => typeof link === 'string' && /^https?:\/\//.test(link))
  return (link as string | undefined) ?? Object.values(value).map(linkOf).find(Boolean)
}
