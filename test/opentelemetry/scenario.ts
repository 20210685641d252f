import { type Attributes, SpanKind, SpanStatusCode, context, metrics, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type * as Cache from '../../src/extensions/cache/index.ts'
import type * as Root from '../../src/index.ts'
import type * as Otel from '../../src/extensions/otel/index.ts'
import type * as Sandbox from '../../src/extensions/sandbox/node.ts'
import type { Exported } from './expected.ts'

/** The package, wherever it was loaded from. */
export interface Sdk {
  SocialSearch: typeof Root.SocialSearch
  ResultCache: typeof Cache.ResultCache
  otelObserver: typeof Otel.otelObserver
  serveSandbox: typeof Sandbox.serveSandbox
}

/** Makes calls that succeed, wait, retry and fail, within spans of the caller, and returns what was exported. */
export async function scenario({
  SocialSearch,
  ResultCache,
  otelObserver,
  serveSandbox,
}: Sdk): Promise<Exported> {
  const spans = new InMemorySpanExporter()
  const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] })
  const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 })
  const meters = new MeterProvider({ readers: [reader] })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager())
  trace.setGlobalTracerProvider(provider)
  metrics.setGlobalMeterProvider(meters)
  await instrumentFetch()

  const sandbox = await serveSandbox()
  const { microblog, organization } = new SocialSearch({
    ...sandbox.clientOptions(),
    cache: new ResultCache({ maxAge: 60_000 }),
    organization: 'opentelemetry',
    observers: [otelObserver()],
  })
  const within = (name: string, work: () => PromiseLike<unknown>) =>
    trace.getTracer('app').startActiveSpan(name, async (span) => {
      try {
        await work()
      } catch {
        // The span of the call tells the error.
      }
      span.end()
    })
  await within('a search', () => microblog.search({ query: 'coffee' }))
  await within('the same again', () => microblog.search({ query: 'coffee' }))
  sandbox.inject({ status: 503 })
  await within('a retry', () => microblog.search({ query: 'tea' }))
  sandbox.inject({ status: 429, retryAfter: 1 })
  await within('a 429', () => microblog.search({ query: 'milk' }))
  const walk = microblog.search({ query: 'coffee', category: 'Latest' }, { maxPages: 3 })
  await within('a walk', () => walk.toArray({ limit: 60 }))
  sandbox.inject({ delay: 600, times: 3 })
  await within('three at a time', () =>
    Promise.all(['water', 'juice', 'lemonade'].map((query) => microblog.search({ query }))),
  )
  sandbox.inject({ status: 403 })
  await within('an error', () => organization.usage())
  sandbox.inject({ reset: 'after' })
  await within('a lost answer', () => microblog.search({ query: 'cocoa' }))

  await sandbox.close()
  await provider.forceFlush()
  await meters.forceFlush()
  const exported = { tree: treeOf(spans.getFinishedSpans()), metrics: metricsOf(measured) }
  await Promise.all([provider.shutdown(), meters.shutdown()])
  return exported
}

/** Other runtimes have no undici: nothing tells of their requests. */
async function instrumentFetch(): Promise<void> {
  if ('Deno' in globalThis || 'Bun' in globalThis) return
  const { UndiciInstrumentation } = await import('@opentelemetry/instrumentation-undici')
  new UndiciInstrumentation().enable()
}

/** The spans in the order of their ends. */
function treeOf(spans: readonly ReadableSpan[], parent?: ReadableSpan): string[] {
  const id = parent?.spanContext().spanId
  return spans
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === id)
    .flatMap((span) => [
      lineOf(span),
      ...[...eventsOf(span), ...treeOf(spans, span)].map((line) => `  ${line}`),
    ])
}

function lineOf({ name, kind, status, attributes }: ReadableSpan): string {
  const error = status.code === SpanStatusCode.ERROR ? ' ERROR' : ''
  return `${name} ${SpanKind[kind]}${error}${kind === SpanKind.INTERNAL ? shown(attributes) : ''}`
}

/** Those of HTTP spans depend on the version of Node. */
function eventsOf({ kind, events }: ReadableSpan): string[] {
  return kind === SpanKind.INTERNAL
    ? events.map(({ name, attributes = {} }) => `- ${short(name)}${shown(attributes)}`)
    : []
}

const short = (name: string) => name.replace('social_search.', '')

/** Attributes without zeros and those that differ between runs. Times are rounded to seconds. */
function shown(attributes: Attributes): string {
  return Object.entries(attributes)
    .filter(([name]) => !/operation|surface|request_id|call_id|until|age|stacktrace/.test(name))
    .map(([name, value]) => [short(name), typeof value === 'number' ? Math.round(value) : value])
    .map(([name, value]) => (value === 0 || value === false ? '' : ` ${String(name)}=${String(value)}`))
    .sort()
    .join('')
}

function metricsOf(exporter: InMemoryMetricExporter): string[] {
  const scopes = exporter.getMetrics().at(-1)?.scopeMetrics ?? []
  const own = scopes.filter(({ scope }) => scope.name === 'social-search-sdk')
  return own.flatMap(({ metrics }) =>
    metrics.flatMap(({ descriptor, dataPoints }) =>
      dataPoints.map(({ value, attributes }) => {
        const { 'social_search.operation': operation, ...others } = attributes
        const sum = typeof value === 'number' ? value : value.count
        return `${short(descriptor.name)} ${descriptor.unit} ${String(operation)}${shown(others)}: ${sum}`
      }),
    ),
  )
}
