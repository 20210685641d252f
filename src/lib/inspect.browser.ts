/** Browsers have views of objects that cannot be changed. */
export function showAs(): void {}
