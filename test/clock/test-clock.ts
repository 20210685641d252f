/**
 * `TEST_CLOCK=2028-02-29T23:57:00Z npm test` starts the tests at that time: it shifts the clocks of the processes that run the tests,
 * and of all Node processes that they start, by one offset. Servers such as Redis and Postgres keep their own clocks.
 */
export function shiftClocks(env: NodeJS.ProcessEnv): void {
  const { TEST_CLOCK: time, NODE_OPTIONS = '' } = env
  if (!time) return
  const offset = Date.parse(time) - Date.now()
  if (Number.isNaN(offset))
    throw new Error(`TEST_CLOCK must be a time such as 2028-02-29T23:57:00Z, got ${time}`)
  const shift = new URL(`shift.js?${offset}`, import.meta.url)
  Object.assign(env, { NODE_OPTIONS: `${NODE_OPTIONS} --import ${shift.href}`.trim() })
}
