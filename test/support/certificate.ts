import { type KeyObject, createSign, generateKeyPairSync } from 'node:crypto'
import { isIPv4 } from 'node:net'

/** A new self-signed certificate with its key. */
export function untrustedCertificate(host = '127.0.0.1'): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
  const commonName = sequence(der(0x06, Buffer.from('550403', 'hex')), der(0x0c, Buffer.from(host)))
  const name = sequence(der(0x31, commonName))
  const time = (year: number): Buffer => der(0x18, Buffer.from(`${year}0101000000Z`))
  const address = isIPv4(host)
    ? der(0x87, Buffer.from(host.split('.').map(Number)))
    : der(0x82, Buffer.from(host))
  const names = sequence(der(0x06, Buffer.from('551d11', 'hex')), der(0x04, sequence(address)))
  const facts = sequence(
    // Version 3, the only one that Deno accepts.
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(time(2020), time(2120)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(names)),
  )
  const signature = createSign('sha256').update(facts).sign(privateKey)
  const whole = sequence(facts, ecdsaWithSha256, der(0x03, Buffer.concat([Buffer.from([0]), signature])))
  return { key: pem(privateKey), cert: armoured('CERTIFICATE', whole) }
}

/** A value in DER: its tag, its length, itself. */
function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, Buffer.concat(parts))

const pem = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString()

const armoured = (label: string, content: Buffer): string =>
  `-----BEGIN ${label}-----\n${content.toString('base64')}\n-----END ${label}-----\n`
