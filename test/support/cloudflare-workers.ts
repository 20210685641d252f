import { afterEach, beforeEach, vi } from 'vitest'

/** Runs each test of a file as in Cloudflare's workers, where no call may wait for the request of another: that one may be cut off. */
export function inCloudflareWorkers(): void {
  beforeEach(() => void vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' }))
  afterEach(() => void vi.unstubAllGlobals())
}

/** What a request waits for that is cut off. */
export const never = new Promise<never>(() => {})
