import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Attributes,
  type Context,
  type ContextManager,
  type Counter,
  type Exception,
  type Meter,
  type MetricOptions,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  type SpanStatus,
  type Tracer,
  context,
  createNoopMeter,
  trace,
} from '@opentelemetry/api'
import { afterEach, beforeEach } from 'vitest'
import { type OtelOptions, otelObserver } from '../../src/extensions/otel/index.ts'
import { makeClient } from '../support/service.ts'

/** What a span was told. */
interface RecordedSpan {
  readonly name: string
  readonly options: SpanOptions | undefined
  readonly parent: Span | undefined
  readonly attributes: Attributes
  readonly events: [name: string, attributes: unknown][]
  readonly exceptions: Exception[]
  status: SpanStatus | undefined
  ended: number
}

/** A tracer that keeps its spans. */
export function recordingTracer() {
  const spans: RecordedSpan[] = []
  const startSpan = (name: string, options?: SpanOptions): Span => {
    const recorded: RecordedSpan = {
      ...{ name, options, parent: trace.getActiveSpan(), events: [], exceptions: [] },
      attributes: { ...options?.attributes },
      ...{ status: undefined, ended: 0 },
    }
    spans.push(recorded)
    const spanId = String(spans.length).padStart(16, '0')
    const span: Span = {
      spanContext: () => ({ traceId: '1'.padStart(32, '0'), spanId, traceFlags: 1 }),
      isRecording: () => recorded.ended === 0,
      setAttribute: (name, value) => span.setAttributes({ [name]: value }),
      setAttributes: (attributes) => (Object.assign(recorded.attributes, attributes), span),
      addEvent: (name, attributes) => (recorded.events.push([name, attributes]), span),
      recordException: (exception) => void recorded.exceptions.push(exception),
      setStatus: (status) => ((recorded.status = status), span),
      updateName: () => span,
      addLink: () => span,
      addLinks: () => span,
      end: () => {
        recorded.ended++
      },
    }
    return span
  }
  const tracer: Tracer = { startSpan, startActiveSpan: () => null as never }
  return { tracer, spans }
}

/** A meter that keeps what its instruments record: kinds with units by name, and values by name. */
export function recordingMeter() {
  const units: Record<string, unknown> = {}
  const values: Record<string, unknown[]> = {}
  const instrument = (kind: string, name: string, { unit }: MetricOptions = {}) => {
    units[name] = `${kind} ${unit}`
    const add: Counter['add'] = (value, attributes) => void (values[name] ??= []).push([value, attributes])
    return { add }
  }
  const meter = Object.assign(Object.create(createNoopMeter()) as Meter, {
    createCounter: (name: string, options?: MetricOptions) => instrument('counter', name, options),
    createHistogram: (name: string, options?: MetricOptions) => ({
      record: instrument('histogram', name, options).add,
    }),
  })
  return { meter, units, values }
}

/** Lets the active span follow asynchronous work in each test of a file, as an SDK does. */
export function followContext(): void {
  const storage = new AsyncLocalStorage<Context>()
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...args) => storage.run(active, () => work.apply(self, args)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  }
  beforeEach(() => void context.setGlobalContextManager(manager))
  afterEach(() => context.disable())
}

/** A client whose calls are recorded. */
export function traced(clientOptions: Parameters<typeof makeClient>[0] = {}, options: OtelOptions = {}) {
  const { tracer, spans } = recordingTracer()
  const { meter, units, values } = recordingMeter()
  const observers = [otelObserver({ tracer, meter, ...options })]
  return { client: makeClient({ observers, ...clientOptions }), spans, units, values }
}
