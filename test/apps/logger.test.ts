import { Writable } from 'node:stream'
import pino from 'pino'
import { type ClientOptions, SocialSearch } from 'social-search-sdk'
import { createSandbox } from 'social-search-sdk/sandbox'
import { describe, expect, it } from 'vitest'
import winston from 'winston'

const lines: unknown[] = []
const stream = new Writable({
  write(line: Buffer, _encoding, done) {
    lines.push(JSON.parse(line.toString()))
    done()
  },
})

const loggers: [name: string, logger: ClientOptions['logger'], message: string][] = [
  ['pino', pino({ level: 'debug' }, stream), 'msg'],
  [
    'winston',
    winston.createLogger({ level: 'debug', transports: new winston.transports.Stream({ stream }) }),
    'message',
  ],
]

describe('logger', () => {
  it.each(loggers)('of %s gets the fields of each line', async (_, logger, message) => {
    lines.length = 0
    const client = new SocialSearch({ ...createSandbox().clientOptions(), logger })
    await client.microblog.search({ query: 'coffee' })
    const operation = 'microblog.search'
    expect(lines).toMatchObject([
      { [message]: 'sending', operation },
      { [message]: 'answered', operation, status: 200 },
    ])
  })
})
