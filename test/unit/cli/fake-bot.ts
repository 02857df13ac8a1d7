import type { Bot } from "../../../src/cli/command-context.ts";

export type Route = (request: Request) => unknown;

/** A bot that answers `METHOD /path` with what its routes answer: a Response as it is, anything else as JSON. */
export function fakeBot(routes: Record<string, Route>): Bot & { requests: string[]; closed: number } {
  const requests: string[] = [];
  return {
    requests,
    closed: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const name = `${request.method} ${decodeURIComponent(pathname).replace("/api/v1", "")}`;
      requests.push(name);
      const route = routes[name];
      if (route === undefined) return problem(404, `There is nothing at ${name}`);
      const answer = await route(request);
      return answer instanceof Response ? answer : Response.json(answer);
    },
    listen: async () => ({ url: "http://127.0.0.1:1" }),
    isolation: async () => ({}),
    settled: async () => undefined,
    async close() {
      this.closed += 1;
    },
  };
}

/** What a bot without any problem answers to `knack doctor`. */
export const healthy: Record<string, Route> = {
  "GET /readyz": () => ({ ok: true, checks: [{ name: "store", ok: true, detail: "readable" }] }),
  "GET /skills": () => ({ skills: [], diagnostics: [] }),
  "GET /flows": () => ({ flows: [], diagnostics: [] }),
  "GET /packages": () => ({ packages: [] }),
  "GET /sandbox/packages": () => ({ sets: [] }),
  "GET /mcp": () => ({ servers: [] }),
  "GET /retention": () => ({ policy: {}, from: 0 }),
};

export function problem(status: number, detail: string): Response {
  const document = { type: "about:blank", title: "Problem", status, detail };
  return Response.json(document, { status, headers: { "content-type": "application/problem+json" } });
}

const stamp = (event: object, seq: number) => ({ ...event, turn_id: "t1", seq, at: 1000 + seq });

/** Routes of one turn `t1` whose events are these; the stream stays open after the last one. */
export function turnRoutes(events: AsyncIterable<object> | Iterable<object>): Record<string, Route> {
  return {
    "POST /turns": () => ({ turn_id: "t1", namespace: "console:local:dm", thread: "th" }),
    "GET /turns/t1/events": () => {
      let seq = 0;
      const stream = ReadableStream.from(events).pipeThrough(
        new TransformStream<object, Uint8Array>({
          transform(event, controller) {
            const text = `id: ${seq}\ndata: ${JSON.stringify(stamp(event, seq))}\n\n`;
            controller.enqueue(new TextEncoder().encode(text));
            seq += 1;
          },
        }),
      );
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    },
  };
}

export const finished = (outcome: string, text = "") => ({ type: "turn_finished", outcome, text });
