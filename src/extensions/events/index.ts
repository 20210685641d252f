export { type EventOptions, type ReceivedEvent, type ReplayOptions, createEventReceiver } from './receiver.ts'
export { InvalidEventError } from './invalid-event.ts'
export type { Delivery, ReceiveOptions, Verify } from '../webhooks/receive.ts'
export {
  type HmacOptions,
  type SharedSecretOptions,
  verifyHmac,
  verifySharedSecret,
} from '../webhooks/verify-signature.ts'
