/** The visitor of a page does not look for a notice. */
export const isNoticeDue = false
export function noticeWait(): void {}
export function skipNotice(): void {}
