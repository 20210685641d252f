import type { Attributes, Meter, Span, Tracer } from '@opentelemetry/api'
import { SpanStatusCode, context, diag, metrics, trace } from '@opentelemetry/api'
import type { ObservedAttempt, ObservedCall, Observer } from '../../index.ts'
import { type Wrap, type Wrapping, wrap } from '../../extend.ts'
import { assertMethod, assertOptions } from '../../errors/check-options.ts'
import { isSocialSearchError } from '../../errors/index.ts'
import { messageOf, runUserCallback } from '../../lib/thrown.ts'
import { version } from '../../lib/version.ts'

/** Options of {@link otelObserver}. */
export interface OtelOptions {
  /** Makes the spans. Default: a tracer of the global provider. */
  tracer?: Tracer | undefined
  /** Makes the metrics. Default: a meter of the global provider. */
  meter?: Meter | undefined
  /** Whether spans contain params, such as the query, and error messages. Default false. */
  params?: boolean | undefined
}

const packageName = 'social-search-sdk'

/**
 * An observer that makes an OpenTelemetry span of each call, and metrics of calls, credits and waits. It does nothing until
 * your program registers an OpenTelemetry SDK.
 *
 * @throws {ConfigurationError} for invalid options.
 * @example
 * const client = new SocialSearch({ baseUrl, apiKey, observers: [otelObserver()] })
 */
export function otelObserver(options: OtelOptions = {}): Observer {
  assertOptions(options, { tracer: true, meter: true, params: true })
  const { tracer = trace.getTracer(packageName, version), meter, params = false } = options
  assertMethod('tracer', tracer, 'startSpan')
  if (meter !== undefined) assertMethod('meter', meter, 'createCounter')
  const record = recorderOf(meter)
  /** Spans of open calls, by the id of the call. */
  const spans = new Map<number, Span>()

  /** Makes a call within a span, which the events of the call find by its id. */
  const traced: Wrap = (send) => async (call) => {
    const { id = 0, operation = '', surface = null } = call.observer?.call ?? {}
    const span = safely(() => {
      const facts = { operation, surface, params: params ? JSON.stringify(call.request.params) : undefined }
      const started = tracer.startSpan(operation, { attributes: named(facts) })
      if (started.isRecording()) spans.set(id, started)
      return started
    })
    try {
      return await (span
        ? context.with(trace.setSpan(context.active(), span), send, undefined, call)
        : send(call))
    } catch (error) {
      safely(() => span && recordError(span, error, params))
      throw error
    } finally {
      spans.delete(id)
      safely(() => span?.end())
    }
  }
  const observer: Observer & Wrapping = {
    [wrap]: () => traced,
    onWait: ({ id, operation, reason, until }) => {
      record({ waits: 1 }, named({ operation, 'wait.reason': reason }))
      const wait = named({ 'wait.reason': reason, 'wait.until': until?.toISOString() })
      spans.get(id)?.addEvent('social_search.wait', wait)
    },
    onAttempt: (attempt) => {
      const operation = named({ operation: attempt.operation })
      const facts = { ...creditsOf(attempt), ...timesOf([attempt]) }
      record({ attempts: 1 }, { ...operation, ...endOf(attempt) })
      record(facts, operation)
      const { requestId, charged } = attempt
      const event = { ...endOf(attempt), ...named({ request_id: requestId, charged, ...facts }) }
      spans.get(attempt.id)?.addEvent('social_search.attempt', event)
    },
    onCall: (call) => {
      const { requestId, charged, applied, attempts, cached } = call
      const operation = named({ operation: call.operation })
      const outcome = { ...named({ cached: cached !== undefined }), ...endOf(call) }
      record({ calls: 1, 'call.duration': call.duration / 1000 }, { ...operation, ...outcome })
      const saved = cached && { 'credits.saved': cached.saved }
      if (saved) record(saved, operation)
      const facts = {
        ...{ call_id: call.id, request_id: requestId, charged, applied, attempts: attempts.length },
        ...{ ...timesOf(attempts), ...creditsOf(call), ...saved },
        'cache.age': cached && cached.age / 1000,
      }
      spans.get(call.id)?.setAttributes({ ...outcome, ...named(facts) })
    },
  }
  return observer
}

/** Attributes without a stable semantic convention, which have a prefix. */
function named(values: Record<string, string | number | boolean | null | undefined>): Attributes {
  const known = Object.entries(values).filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(known.map(([name, value]) => [`social_search.${name}`, value ?? '']))
}

function creditsOf({ credits: { spent, uncertain } }: ObservedCall | ObservedAttempt) {
  return { 'credits.spent': spent, 'credits.uncertain': uncertain }
}

/** In seconds. */
function timesOf(attempts: readonly Pick<ObservedAttempt, 'queued' | 'paced'>[]) {
  const sum = (times: number[]): number => times.reduce((sum, time) => sum + time, 0) / 1000
  return { queued: sum(attempts.map(({ queued }) => queued)), paced: sum(attempts.map(({ paced }) => paced)) }
}

/** How it ended, by the semantic conventions. */
function endOf({ outcome, status }: { outcome: string; status?: number | undefined }): Attributes {
  return {
    ...(status !== undefined && { 'http.response.status_code': status }),
    ...(outcome !== 'ok' && { 'error.type': outcome }),
  }
}

/** Messages may repeat a query. The reason of an abort belongs to the caller, and may be anything. */
function recordError(span: Span, error: unknown, withMessage: boolean): void {
  const known = isSocialSearchError(error) ? error : undefined
  const said = withMessage && known && { message: known.message }
  span.setStatus({ code: SpanStatusCode.ERROR, ...said })
  if (known) span.recordException({ name: known.name, ...said, ...(said && { stack: known.stack ?? '' }) })
}

/** Unit and description of each metric. Those in seconds are histograms, the others counters. */
const instruments = {
  calls: ['{call}', 'Calls that have ended'],
  'call.duration': ['s', 'Duration of calls, with waits and retries'],
  'credits.spent': ['{credit}', 'Credits that calls have cost'],
  'credits.uncertain': ['{credit}', 'Credits that calls may have cost'],
  'credits.saved': ['{credit}', 'Credits that cached answers have saved'],
  attempts: ['{attempt}', 'Attempts that have ended; 429s have this status'],
  waits: ['{wait}', 'Waits of a quarter of a second and longer'],
  queued: ['s', 'Time that an attempt waited for a slot'],
  paced: ['s', 'Time that an attempt waited for the rate limit'],
} as const

type Measures = Partial<Record<keyof typeof instruments, number>>

/** Upper bounds in seconds, from an answer of the cache to the longest waits; those of SDKs are for milliseconds. */
const advice = { explicitBucketBoundaries: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] }

/** Records values of metrics. The global provider may be registered later than the observer is made. */
function recorderOf(given: Meter | undefined): (values: Measures, attributes: Attributes) => void {
  let provider: unknown
  let made: ReturnType<typeof instrumentsOf> = []
  return (values, attributes) => {
    const current = given ?? metrics.getMeterProvider()
    if (provider !== current) made = instrumentsOf(given ?? metrics.getMeter(packageName, version))
    provider = current
    for (const measure of made) measure(values, attributes)
  }
}

function instrumentsOf(meter: Meter) {
  return Object.entries(instruments).map(([name, [unit, description]]) => {
    const [title, options] = [`social_search.${name}`, { unit, description }]
    const counter = unit === 's' ? undefined : meter.createCounter(title, options)
    const histogram = counter ? undefined : meter.createHistogram(title, { ...options, advice })
    return (values: Measures, attributes: Attributes): void => {
      const value = values[name as keyof Measures]
      if (value === undefined) return
      counter?.add(value, attributes)
      histogram?.record(value, attributes)
    }
  })
}

/** Spans and their processors are the user's: if one throws, the call goes on, and a paid answer is not lost. */
function safely<T>(work: () => T): T | undefined {
  let result: T | undefined
  runUserCallback(
    () => (result = work()),
    (error) => runUserCallback(() => diag.error(`${packageName}: a span failed`, messageOf(error))),
  )
  return result
}
