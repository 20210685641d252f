import { usualStart } from './now.ts'

/**
 * Tests begin at one time on any day, so that none meets a midnight that it does not ask for; `TEST_CLOCK=2028-02-29T23:57:00Z npm test`
 * begins at another. Shifts the clocks of the processes that run the tests, and of all Node processes that they start, by one offset.
 * Browsers, Redis and Postgres keep their own clocks.
 */
export function shiftClocks(env: NodeJS.ProcessEnv): void {
  const { NODE_OPTIONS = '' } = env
  const TEST_CLOCK = env['TEST_CLOCK'] || usualStart
  const offset = Date.parse(TEST_CLOCK) - Date.now()
  if (Number.isNaN(offset))
    throw new Error(`TEST_CLOCK must be a time such as 2028-02-29T23:57:00Z, got ${TEST_CLOCK}`)
  const shift = new URL(`shift.js?${offset}`, import.meta.url)
  Object.assign(env, { TEST_CLOCK, NODE_OPTIONS: `${NODE_OPTIONS} --import ${shift.href}`.trim() })
}
