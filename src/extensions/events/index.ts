export { type EventOptions, type ReceivedEvent, createEventReceiver } from './receiver.ts'
export { InvalidEventError } from './invalid-event.ts'
export { type Delivery, type StandardWebhooksOptions, type Verify, verifyStandardWebhooks } from './verify.ts'
export type { StandardSchemaV1 } from '@standard-schema/spec'
