/** When tests begin, on any day. `TEST_CLOCK` sets another time. */
export const usualStart = '2026-11-20T18:00:00Z'

/** Where the clocks of sandboxes stand, and where virtual time begins. */
export const now = new Date(process.env['TEST_CLOCK'] || usualStart)
