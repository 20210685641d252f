/** Browsers have no channels. */
export const channel = undefined
export const publisher = undefined
