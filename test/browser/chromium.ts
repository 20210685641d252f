import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome']

/** Starts the Chromium of this machine without a window. */
export function launchChromium(): Promise<Browser> {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const found = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(existsSync)
  const executablePath = process.env['CHROMIUM'] ?? found
  if (executablePath === undefined) {
    throw new Error(
      'no Chromium on the PATH; install it: apt-get install chromium, or set CHROMIUM to its path',
    )
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}
