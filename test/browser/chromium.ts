import { type Browser, chromium } from 'playwright-core'
import { type Engine, jsonFunction, programOf } from './engines/engine.ts'

/** Starts the Chromium of this machine without a window. */
export async function launchChromium(): Promise<Browser> {
  const names = ['chromium', 'chromium-browser', 'google-chrome']
  const browser = await chromium.launch({
    executablePath: programOf(names, 'CHROMIUM', 'chromium'),
    args: ['--no-sandbox'],
  })
  // Less than a test may take, so that a failure says what it has waited for.
  browser.on('context', (context) => context.setDefaultTimeout(150_000))
  return browser
}

export async function chromiumEngine(): Promise<Engine> {
  const browser = await launchChromium()
  return {
    close: () => browser.close(),
    async open(url) {
      const page = await browser.newPage()
      await page.goto(url)
      return {
        async evaluate(run: (given: never) => unknown, given?: unknown) {
          const text = JSON.stringify(JSON.stringify(given)) as string | undefined
          return JSON.parse(await page.evaluate<string>(`(${jsonFunction(run)})(${text ?? ''})`)) as never
        },
      }
    },
  }
}
