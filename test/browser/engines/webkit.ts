import { createServer } from 'node:http'
import { closed, listening } from '../../support/listening.ts'
import { type Engine, type Program, jsonFunction, programOf, said, start } from './engine.ts'

/** Starts the WebKitGTK of this machine. It needs a display, so it gets a virtual one. */
export async function webkitEngine(): Promise<Engine> {
  const packages = 'webkit2gtk-driver xvfb'
  const options = '-displayfd 3 -nolisten tcp -screen 0 800x600x24'.split(' ')
  const display = start(programOf(['Xvfb'], 'XVFB', packages), () => options)
  const number = await said(display, 'fd3', /(\d+)\n/)
  const port = await freePort()
  const driver = start(programOf(['WebKitWebDriver'], 'WEBKIT_DRIVER', packages), () => [`--port=${port}`], {
    DISPLAY: `:${number}`,
    // Only this machine can be reached: all else would go through a proxy where none is.
    http_proxy: 'http://127.0.0.1:9',
    https_proxy: 'http://127.0.0.1:9',
    no_proxy: '127.0.0.1,localhost',
    // There is neither a bus nor a graphics card.
    NO_AT_BRIDGE: '1',
    LIBGL_ALWAYS_SOFTWARE: '1',
  })
  const root = `http://127.0.0.1:${port}/session`
  await untilListening(driver, `http://127.0.0.1:${port}/status`)
  const { sessionId } = await command<{ sessionId: string }>('POST', root, { capabilities: {} })
  const session = `${root}/${sessionId}`
  return {
    async close() {
      await command('DELETE', session)
      await driver.end()
      await display.end()
    },
    async open(url) {
      await command('POST', `${session}/timeouts`, { script: 120_000 })
      await command('POST', `${session}/url`, { url })
      return {
        async evaluate(run: (given: never) => unknown, given?: unknown) {
          const script = `
            const done = arguments[arguments.length - 1];
            (${jsonFunction(run)})(arguments[0]).then((value) => done({ value }), (error) => done({ error: String(error) }))`
          const text = JSON.stringify(given) as string | undefined
          const body = { script, args: [text ?? ''] }
          const ended = await command<{ value: string; error?: string }>(
            'POST',
            `${session}/execute/async`,
            body,
          )
          const { value, error } = ended
          if (error !== undefined) throw new Error(error)
          return JSON.parse(value) as never
        },
      }
    },
  }
}

async function command<Result>(method: string, url: string, body?: object): Promise<Result> {
  const response = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) })
  const { value } = (await response.json()) as { value: Result }
  if (!response.ok) throw new Error(`${method} ${url}: ${JSON.stringify(value)}`)
  return value
}

/** The driver takes no port 0, and does not say when it listens. */
async function freePort(): Promise<string> {
  const server = createServer()
  const { port } = new URL(await listening(server))
  await closed(server)
  return port
}

async function untilListening({ child }: Program, url: string): Promise<void> {
  while (child.exitCode === null && child.signalCode === null) {
    try {
      await fetch(url)
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  throw new Error('WebKitWebDriver has ended')
}
