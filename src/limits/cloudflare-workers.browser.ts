import { ConfigurationError } from '../errors/index.ts'

/** Takes the place of both classes of `cloudflare-workers.ts`, which only Cloudflare's workers need. */
function notInThisBuild(): never {
  throw new ConfigurationError('this build is for browsers; bundle a worker with the condition workerd')
}

export { notInThisBuild as CountedSlots, notInThisBuild as PollingCalls }
