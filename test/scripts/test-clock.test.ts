import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { shiftClocks } from '../clock/test-clock.ts'

it.each([
  ['2031-05-06T07:08:09Z', '2031-05-06'],
  [undefined, '2026-11-20'],
])(
  'TEST_CLOCK %s shifts the dates of a process to %s, and those that its servers send',
  (TEST_CLOCK, day) => {
    const env = { ...process.env, TEST_CLOCK }
    shiftClocks(env)
    const program = `
import { createServer } from 'node:http'
const server = createServer((_, response) => response.end()).listen(0, '127.0.0.1', async () => {
  const { headers } = await fetch('http://127.0.0.1:' + server.address().port)
  server.close().closeAllConnections()
  const times = [Date.now(), new Date(), new Date(new Date()), Date(), headers.get('date')]
  console.log(JSON.stringify([times.map((time) => new Date(time).toISOString().slice(0, 10)), new Date() instanceof Date, new Date(5)]))
})`
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', program], { env })
    expect(JSON.parse(output.toString())).toEqual([
      [day, day, day, day, day],
      true,
      '1970-01-01T00:00:00.005Z',
    ])
  },
)

it('TEST_CLOCK throws when it is not a time', () => {
  expect(() => shiftClocks({ TEST_CLOCK: 'tomorrow' })).toThrow('TEST_CLOCK must be a time such as')
})
