/** Takes the lock of a token file and keeps it until the process is ended. */
import { FileTokenStore } from '../../src/extensions/oauth/node.ts'

const [path = ''] = process.argv.slice(2)
await new FileTokenStore(path).lock(async () => {
  process.send?.('held')
  await new Promise((resolve) => setTimeout(resolve, 60_000))
})
