import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";

/** A span as a collector got it. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** 1 internal, 3 client. */
  kind: number;
  /** 0 unset, 2 error. */
  status: { code: number };
  /** Duration, ms. */
  ms: number;
  attributes: Record<string, unknown>;
}

/** A collector of OpenTelemetry traces on the loopback interface. */
export interface TraceCollector extends AsyncDisposable {
  /** For `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  endpoint: string;
  /** For `traces.url`. */
  url: string;
  /** The bodies it got, as text. */
  bodies: string[];
  /** The headers of the last request. */
  headers: Record<string, unknown>;
  /** All spans it got, in the order in which they arrived. */
  spans(): ReceivedSpan[];
  /** The attributes of the process that sent the last spans. */
  resource(): Record<string, unknown>;
  /** Resolves once a span arrived whose name begins with this. */
  got(name: string): Promise<void>;
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number };
}

interface Payload {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: {
      spans: (Omit<ReceivedSpan, "attributes" | "ms"> & {
        attributes: Attribute[];
        startTimeUnixNano: string;
        endTimeUnixNano: string;
      })[];
    }[];
  }[];
}

/** @param status the HTTP status of its answers; `hangs` takes requests and answers none */
export async function startTraceCollector(status: number | "hangs" = 200): Promise<TraceCollector> {
  const bodies: string[] = [];
  const collector = new EventTarget();
  let headers: Record<string, unknown> = {};
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const body = Buffer.concat(chunks);
    bodies.push((request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString());
    headers = request.headers;
    collector.dispatchEvent(new Event("received"));
    if (status === "hangs") return;
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const payloads = () => bodies.flatMap((body) => (JSON.parse(body) as Payload).resourceSpans);
  const spans = () =>
    payloads().flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans.map(spanOf)));
  return {
    endpoint,
    url: `${endpoint}/v1/traces`,
    bodies,
    get headers() {
      return headers;
    },
    spans,
    resource: () => valuesOf(payloads().at(-1)?.resource.attributes ?? []),
    async got(name) {
      while (!spans().some((span) => span.name.startsWith(name))) await once(collector, "received");
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

type SentSpan = Payload["resourceSpans"][number]["scopeSpans"][number]["spans"][number];

function spanOf({ attributes, startTimeUnixNano, endTimeUnixNano, ...span }: SentSpan): ReceivedSpan {
  const ms = Number((BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1_000_000n);
  return { ...span, ms, attributes: valuesOf(attributes) };
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
}
