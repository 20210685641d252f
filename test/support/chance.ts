import fc from 'fast-check'

// `npm test` draws the same plans each time. The soak draws others.
fc.configureGlobal({ seed: Number(process.env['TEST_SEED'] ?? 1) })

export default fc
