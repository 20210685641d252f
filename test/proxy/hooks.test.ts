import { expect, it } from 'vitest'
import type { Hooks } from '../../src/index.ts'
import { settle, virtualTime } from '../support/clock.ts'
import { setUp } from './setup.ts'

virtualTime()

async function searchWith(hooks: Hooks) {
  const setup = setUp({}, { backend: { hooks } })
  return { ...setup, ...(await settle(setup.browser.microblog.search({ query: 'coffee' }))) }
}

it('createProxy() passes on a paid response when a hook of its client throws', async () => {
  const fail = () => Promise.reject(new Error('vault at 10.0.0.7 is sealed'))
  const { value, browser, sandbox, failures } = await searchWith({ afterResponse: [fail] })
  expect(value?.posts).toHaveLength(20)
  expect(sandbox.requests).toHaveLength(1)
  expect(browser.credits).toMatchObject({ spent: 2, uncertain: 0 })
  expect(failures).toMatchObject([[{ name: 'InvalidResponseError' }, {}]])
})

it('createProxy() sends the response of a hook of its client instead of a paid one', async () => {
  const body = { requestId: 'req_7', error: { code: 'withheld' } }
  const withhold = () => Response.json(body, { status: 403 })
  const { error, browser } = await searchWith({ afterResponse: [withhold] })
  expect(error).toMatchObject({ status: 403, code: 'withheld', charged: 'yes' })
  expect(browser.credits).toMatchObject({ spent: 2, uncertain: 0 })
})

it.each([401, 403])(
  'createProxy() passes on the %i with which a hook replaces a free success',
  async (status) => {
    const body = { requestId: 'req_7', error: { code: 'withheld' } }
    const withhold = () => Response.json(body, { status })
    const { browser, failures } = setUp({}, { backend: { hooks: { afterResponse: [withhold] } } })
    const { error } = await settle(browser.professionalnet.industries.list())
    expect(error).toMatchObject({ status, code: 'withheld', charged: 'no' })
    expect(failures).toMatchObject([[{ attempts: [{ status: 200 }] }, {}]])
  },
)

it('createProxy() responds with 502 when the service refuses it, also if a hook rewrites the refusal', async () => {
  const rewrite = ({ response }: { response: Response }) => Response.json({}, { status: response.status })
  const { browser } = setUp({}, { backend: { apiKey: 'revoked', hooks: { afterResponse: [rewrite] } } })
  const { error } = await settle(browser.professionalnet.industries.list())
  expect(error).toMatchObject({ status: 502, code: 'service_refused_proxy' })
})
