import {
  type Attributes,
  type Counter,
  type Histogram,
  type Meter,
  type Span,
  SpanStatusCode,
  type Tracer,
  context,
  diag,
  metrics,
  trace,
} from '@opentelemetry/api'
import type { ObservedAttempt, ObservedCall, Observer } from '../../index.ts'
import { type Send, wrapCalls } from '../../extend.ts'
import { assertMethod, assertOptions } from '../../errors/check-options.ts'
import { isSocialSearchError } from '../../errors/index.ts'
import { runAside } from '../../lib/thrown.ts'
import { messageOf } from '../../lib/thrown.ts'
import { version } from '../../lib/version.ts'

/** Options of {@link otelObserver}. */
export interface OtelOptions {
  /** Makes the spans. Default: a tracer of the global provider. */
  tracer?: Tracer | undefined
  /** Makes the metrics. Default: a meter of the global provider. */
  meter?: Meter | undefined
  /**
   * Whether spans have the params, such as the text of a query, and the messages of errors, which may repeat it. Default
   * false.
   */
  params?: boolean | undefined
}

const packageName = 'social-search-sdk'

/**
 * Makes an observer that gives OpenTelemetry a span for each call, around the HTTP spans of its attempts, and metrics of
 * calls, credits and waits. It does nothing until a program registers an SDK of OpenTelemetry.
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
  const instruments = instrumentsOf(meter)
  /** Spans of open calls, by the id of the call. */
  const spans = new Map<number, Span>()

  /** Makes a call within a span, which the events of the call find by its id. */
  const traced =
    (send: Send): Send =>
    async (call) => {
      const { id = 0, operation = '', surface = null } = call.observer?.call ?? {}
      const started = safely(() => {
        const attributes = { [key.operation]: operation, ...(surface !== null && { [key.surface]: surface }) }
        const span = tracer.startSpan(operation, { attributes })
        if (span.isRecording()) spans.set(id, span)
        return { span, active: trace.setSpan(context.active(), span) }
      })
      if (started === undefined) return send(call)
      const { span, active } = started
      try {
        return await context.with(active, send, undefined, call)
      } catch (error) {
        safely(() => recordError(span, error, params))
        throw error
      } finally {
        spans.delete(id)
        safely(() => span.end())
      }
    }
  const observer: Observer = {
    params,
    onWait: ({ id, operation, reason, until }) => {
      instruments().waits.add(1, { [key.operation]: operation, [key.waitReason]: reason })
      const end = until && { [key.waitUntil]: until.toISOString() }
      spans.get(id)?.addEvent(key.wait, { [key.waitReason]: reason, ...end })
    },
    onAttempt: (attempt) => {
      countAttempt(instruments(), attempt)
      spans.get(attempt.id)?.addEvent(key.attempt, attributesOfAttempt(attempt))
    },
    onCall: (call) => {
      countCall(instruments(), call)
      spans.get(call.id)?.setAttributes(attributesOfCall(call))
    },
  }
  return wrapCalls(observer, traced)
}

/** Names without a stable semantic convention have a prefix. Durations are seconds. */
const key = {
  operation: 'social_search.operation',
  surface: 'social_search.surface',
  params: 'social_search.params',
  requestId: 'social_search.request_id',
  charged: 'social_search.charged',
  applied: 'social_search.applied',
  spent: 'social_search.credits.spent',
  uncertain: 'social_search.credits.uncertain',
  saved: 'social_search.credits.saved',
  queued: 'social_search.queued',
  paced: 'social_search.paced',
  calls: 'social_search.calls',
  duration: 'social_search.call.duration',
  attempt: 'social_search.attempt',
  attempts: 'social_search.attempts',
  wait: 'social_search.wait',
  waits: 'social_search.waits',
  waitReason: 'social_search.wait.reason',
  waitUntil: 'social_search.wait.until',
  cached: 'social_search.cached',
  cacheAge: 'social_search.cache.age',
  errorType: 'error.type',
  status: 'http.response.status_code',
} as const

function attributesOfCall(call: ObservedCall): Attributes {
  const { params, charged, applied, credits, attempts, cached, requestId } = call
  return {
    ...(params && { [key.params]: JSON.stringify(params) }),
    ...(requestId !== undefined && { [key.requestId]: requestId }),
    [key.charged]: charged,
    ...(applied && { [key.applied]: applied }),
    [key.spent]: credits.spent,
    [key.uncertain]: credits.uncertain,
    [key.attempts]: attempts.length,
    [key.queued]: attempts.reduce((sum, { queued }) => sum + queued, 0) / 1000,
    [key.paced]: attempts.reduce((sum, { paced }) => sum + paced, 0) / 1000,
    [key.cached]: cached !== undefined,
    ...(cached && { [key.saved]: cached.saved, [key.cacheAge]: cached.age / 1000 }),
    ...errorTypeOf(call),
  }
}

function attributesOfAttempt(attempt: ObservedAttempt): Attributes {
  const { status, requestId, charged, credits, queued, paced } = attempt
  return {
    ...(status !== undefined && { [key.status]: status }),
    ...(requestId !== undefined && { [key.requestId]: requestId }),
    [key.charged]: charged,
    [key.spent]: credits.spent,
    [key.uncertain]: credits.uncertain,
    [key.queued]: queued / 1000,
    [key.paced]: paced / 1000,
    ...errorTypeOf(attempt),
  }
}

function errorTypeOf({ outcome }: { outcome: string }): Attributes | undefined {
  return outcome === 'ok' ? undefined : { [key.errorType]: outcome }
}

/** Messages may repeat a query. The reason of an abort belongs to the caller, and may be anything. */
function recordError(span: Span, error: unknown, withMessage: boolean): void {
  const known = isSocialSearchError(error) ? error : undefined
  const said = withMessage && known && { message: known.message }
  span.setStatus({ code: SpanStatusCode.ERROR, ...said })
  if (known) span.recordException({ name: known.name, ...said, ...(said && { stack: known.stack ?? '' }) })
}

interface Instruments {
  readonly calls: Counter
  readonly duration: Histogram
  readonly spent: Counter
  readonly uncertain: Counter
  readonly saved: Counter
  readonly attempts: Counter
  readonly waits: Counter
  readonly queued: Histogram
  readonly paced: Histogram
}

/** Upper bounds in seconds, from an answer of the cache to the longest waits; those of SDKs are for milliseconds. */
const advice = { explicitBucketBoundaries: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300] }

function createInstruments(meter: Meter): Instruments {
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(name, { unit, description })
  const histogram = (name: string, description: string) =>
    meter.createHistogram(name, { unit: 's', description, advice })
  return {
    calls: counter(key.calls, '{call}', 'Calls that have ended'),
    duration: histogram(key.duration, 'Duration of calls, with waits and retries'),
    spent: counter(key.spent, '{credit}', 'Credits that calls have cost'),
    uncertain: counter(key.uncertain, '{credit}', 'Credits that calls may have cost'),
    saved: counter(key.saved, '{credit}', 'Credits that cached answers have saved'),
    attempts: counter(key.attempts, '{attempt}', 'Attempts that have ended; 429s have this status'),
    waits: counter(key.waits, '{wait}', 'Waits of a quarter of a second and longer'),
    queued: histogram(key.queued, 'Time that an attempt waited for a slot'),
    paced: histogram(key.paced, 'Time that an attempt waited for the rate limit'),
  }
}

/** The instruments of a meter; by default those of the global provider, which may be registered later. */
function instrumentsOf(meter: Meter | undefined): () => Instruments {
  let known: { readonly provider: unknown; readonly instruments: Instruments } | undefined
  return () => {
    const provider = meter === undefined ? metrics.getMeterProvider() : undefined
    if (known === undefined || known.provider !== provider) {
      const made = meter ?? metrics.getMeter(packageName, version)
      known = { provider, instruments: createInstruments(made) }
    }
    return known.instruments
  }
}

function countAttempt(
  { attempts, queued, paced, spent, uncertain }: Instruments,
  attempt: ObservedAttempt,
): void {
  const { status, credits } = attempt
  const operation = { [key.operation]: attempt.operation }
  const outcome = { ...(status !== undefined && { [key.status]: status }), ...errorTypeOf(attempt) }
  attempts.add(1, { ...operation, ...outcome })
  queued.record(attempt.queued / 1000, operation)
  paced.record(attempt.paced / 1000, operation)
  spent.add(credits.spent, operation)
  uncertain.add(credits.uncertain, operation)
}

function countCall({ calls, duration, saved }: Instruments, call: ObservedCall): void {
  const operation = { [key.operation]: call.operation }
  const outcome = { ...operation, [key.cached]: call.cached !== undefined, ...errorTypeOf(call) }
  calls.add(1, outcome)
  duration.record(call.duration / 1000, outcome)
  if (call.cached) saved.add(call.cached.saved, operation)
}

/** Spans and their processors are the user's: if one throws, the call goes on, and a paid answer is not lost. */
function safely<T>(work: () => T): T | undefined {
  let result: T | undefined
  runAside(
    () => (result = work()),
    (error) => runAside(() => diag.error(`${packageName}: a span failed`, messageOf(error))),
  )
  return result
}
