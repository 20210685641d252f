import fc from 'fast-check'

// `npm test` draws the same plans each time. The soak draws others.
export const chanceSeed = Number(process.env['TEST_SEED'] ?? 1)
fc.configureGlobal({ seed: chanceSeed })

export default fc
