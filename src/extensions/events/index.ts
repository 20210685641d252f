export { type EventOptions, type ReceivedEvent, createEventReceiver } from './receiver.ts'
export { InvalidEventError } from './invalid-event.ts'
export {
  type Delivery,
  type SharedSecretOptions,
  type StandardWebhooksOptions,
  type Verify,
  verifySharedSecret,
  verifyStandardWebhooks,
} from './verify.ts'
