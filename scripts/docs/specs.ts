import { describeService } from '../../src/extensions/sandbox/description.ts'

const title = 'Social Search and Organization Data API'
const address = 'https://api.example.com/v1'

/** The OpenAPI document of the service, for other tools. */
export function renderOpenapi(): string {
  const description = describeService()
  const info = { ...description.info, title }
  return `${JSON.stringify({ ...description, info, servers: [{ url: address }] }, null, 2)}\n`
}
