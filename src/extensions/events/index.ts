export { type EventOptions, InvalidEventError, type ReceivedEvent, createEventReceiver } from './receiver.ts'
export { type Delivery, type StandardWebhooksOptions, type Verify, verifyStandardWebhooks } from './verify.ts'
export type { StandardSchemaV1 } from '@standard-schema/spec'
