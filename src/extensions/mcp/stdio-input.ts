import { type Readable, Transform } from 'node:stream'
import { parsed } from '../../lib/json.ts'

/** The answer of JSON-RPC to what is not JSON. */
const parseError = { jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'Parse error: not JSON' } }

/**
 * Passes on the lines of stdin that are JSON, and answers the others: the protocol's own transport skips them without an
 * answer, for which a client would wait.
 *
 * @param longest Bytes; a longer line is passed on in any case.
 */
export function stdioInput(longest: number): Readable {
  const { stdin, stdout } = process
  let parts: Buffer[] = []
  let size = 0
  const lines = new Transform({
    transform(chunk: Buffer, _, done) {
      let start = 0
      for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
        const line = Buffer.concat([...parts, chunk.subarray(start, end + 1)])
        parts = []
        size = 0
        start = end + 1
        const text = String(line).trim()
        if (text !== '' && parsed(text) === undefined) stdout.write(`${JSON.stringify(parseError)}\n`)
        else this.push(line)
      }
      parts.push(chunk.subarray(start))
      size += chunk.length - start
      if (size > longest) for (const part of parts.splice(0)) this.push(part)
      done()
    },
  })
  // When the transport closes, the process may end.
  lines.on('pause', () => stdin.unpipe(lines).pause())
  return stdin.pipe(lines)
}
