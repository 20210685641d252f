/** When the tests began: where the clocks of sandboxes stand, and where virtual time begins. */
export const now = new Date(process.env['TEST_CLOCK']!)
