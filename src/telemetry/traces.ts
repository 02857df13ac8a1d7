/** Sends the spans of turns to a collector. Loads the OpenTelemetry packages, so it is imported only when there is a collector. */
import { SpanKind, SpanStatusCode, TraceFlags } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from "@opentelemetry/resources";
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter } from "@opentelemetry/sdk-trace";
import { errorText } from "../base/error-text.ts";
import { unlessLate } from "../base/time-limit.ts";
import type { TurnTracer } from "../core/ports/model.ts";
import type { Clock, Log } from "../core/ports/storage.ts";
import type { Redact } from "../core/values/redact.ts";
import { type TurnSpan, TurnSpans } from "./turn-spans.ts";

export interface TraceOptions {
  /** Address of the collector, OTLP over HTTP. */
  url: string;
  /** Knack's version. */
  version: string;
  redact: Redact;
  clock: Pick<Clock, "after">;
  logger: Log;
}

/** The traces of a bot. */
export interface Traces {
  tracer: TurnTracer;
  /** Sends the spans that still wait, for at most `closeMs`. */
  close(): Promise<void>;
}

/** Maximum time to send the last spans when the bot stops, ms. */
const closeMs = 3_000;

/**
 * Starts to export spans in batches. While the collector is unreachable, at most 2,048 spans wait and further ones are dropped; a failure is
 * logged once until the next success. The packages themselves read the other variables of the specification: headers, timeout,
 * compression and certificates (`OTEL_EXPORTER_OTLP_…`), `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`.
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function createTraces({ url, version, redact, clock, logger }: TraceOptions): Traces {
  const processor = new BatchSpanProcessor({ exporter: reporting(new OTLPTraceExporter({ url }), logger) });
  const resource = defaultResource()
    .merge(resourceFromAttributes({ "service.name": "knack", "service.version": version }))
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
  const scope = { resource, instrumentationScope: { name: "knack", version } };
  return {
    tracer(turn) {
      const spans = new TurnSpans(turn);
      return (event, at) => {
        for (const span of spans.take(event, at)) processor.onEnd({ ...readable(redact(span)), ...scope });
      };
    },
    async close() {
      // A failure was logged by then.
      const ended = processor.shutdown().catch(() => undefined);
      const done = ended.then(() => true);
      if (!(await unlessLate(closeMs, clock, done)))
        logger.warn({}, "The last traces could not be sent in time and are lost");
    },
  };
}

/** The same exporter, with a log line for the first failure since the last success. */
function reporting(exporter: SpanExporter, logger: Log): SpanExporter {
  let isFailing = false;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const { error } = result;
        if (error !== undefined && !isFailing) {
          logger.warn(
            { reason: errorText(error) },
            "Traces could not be sent and are lost; turns are not affected. Check the collector at traces.url",
          );
        }
        isFailing = error !== undefined;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
}

function readable(span: TurnSpan): Omit<ReadableSpan, "resource" | "instrumentationScope"> {
  const { trace_id: traceId, span_id, parent_id, name, kind, from, to, attributes } = span;
  const contextOf = (spanId: string) => ({ traceId, spanId, traceFlags: TraceFlags.SAMPLED });
  const hasFailed = attributes["error.type"] !== undefined;
  return {
    name,
    kind: kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => contextOf(span_id),
    ...(parent_id === undefined ? {} : { parentSpanContext: contextOf(parent_id) }),
    startTime: secondsAndNanoseconds(from),
    endTime: secondsAndNanoseconds(to),
    duration: secondsAndNanoseconds(to - from),
    ended: true,
    status: { code: hasFailed ? SpanStatusCode.ERROR : SpanStatusCode.UNSET },
    attributes: Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)),
    events: [],
    links: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

function secondsAndNanoseconds(ms: number): [number, number] {
  return [Math.floor(ms / 1_000), (ms % 1_000) * 1_000_000];
}
