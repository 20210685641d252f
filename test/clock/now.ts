/** What time it is in tests: where the clocks of sandboxes stand, and where virtual time begins. `TEST_CLOCK` sets it. */
export const now = new Date(process.env['TEST_CLOCK'] || '2026-11-20T18:00:00Z')
