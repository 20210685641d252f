import { expect, it } from 'vitest'
import { ConfigurationError } from '../../src/index.ts'
import { createSandbox } from '../support/sandbox.ts'

it.each<[object, string]>([
  [{ sede: 1 }, 'unknown option sede'],
  [{ limits: { inflight: 1 } }, 'unknown option limits.inflight'],
  [{ growth: { perhour: 1 } }, 'unknown option growth.perhour'],
  [{ growth: -1 }, 'growth must be a number of posts an hour from 0 to 3600, got -1'],
  [{ growth: { perHour: NaN } }, 'growth must be a number'],
  [{ growth: { perHour: 1, since: new Date('soon') } }, 'growth.since must be a time since 1970'],
  [{ now: new Date('soon') }, 'now must be a time since 1970'],
  [{ content: { tweets: [] } }, 'unknown option content.tweets'],
  [{ content: { microblog: [{ body: 5 }] } }, 'microblog[0]: body must be a string'],
  [{ content: { microblog: [{ body: 'a', timestamp: 'soon' }] } }, 'microblog[0]: "soon" is not a time'],
  [{ content: { professionalnet: [{ commentary: 5 }] } }, 'professionalnet[0]: commentary must be a string'],
  [{ content: { companies: [{ name: 'a' }, {}] } }, 'companies[1]: name is required'],
  [{ content: { listeners: [{ id: 'x' }] } }, 'listeners[0]: id must start with lis_'],
  [{ content: { mentions: [{ publishedAt: 'soon' }] } }, 'mentions[0]: "soon" is not a time'],
])('createSandbox() refuses %j', (options, message) => {
  expect(() => createSandbox(options)).toThrow(ConfigurationError)
  expect(() => createSandbox(options)).toThrow(message)
})

it.each<[object, string]>([
  [{ stauts: 500 }, 'unknown option fault.stauts'],
  [{ operation: 'microblog.serch' }, 'fault.operation must be the id of an operation'],
  [{ status: 99 }, 'fault.status must be from 200 to 599, got 99'],
  [{ status: 200.5 }, 'fault.status must be from 200 to 599'],
  [{ status: 600 }, 'fault.status must be from 200 to 599'],
])('inject() refuses %j', (fault, message) => {
  expect(() => createSandbox().inject(fault)).toThrow(message)
})
