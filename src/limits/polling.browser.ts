import { ConfigurationError } from '../errors.ts'

/** Takes the place of the classes of `polling.ts`: only Cloudflare's workers need them, and no browser has them. */
class NotInThisBuild {
  constructor() {
    throw new ConfigurationError('this build is for browsers; bundle a worker with the condition workerd')
  }
}

export { NotInThisBuild as CountedSlots, NotInThisBuild as Polling }
