import { expect } from "vitest";
import type { Model, ModelRequest } from "../../../src/core/ports/model.ts";
import type { Json } from "../../../src/core/values/json.ts";

/** A request as the core made it, with its system messages in place. */
export type Asked = Omit<ModelRequest, "signal">;

export interface RecordingModel extends Model {
  /** Everything the model was asked, as it was then. */
  readonly asked: Asked[];
  /** The requests of turns, without those for summaries and skills. */
  ofTurns(): Asked[];
}

/**
 * Records the core's requests to a model. With `blocks` each answer carries them as what only its provider understands.
 */
export function recordingModel(inner: Model, blocks?: (round: number) => Json): RecordingModel {
  const asked: Asked[] = [];
  return {
    ...inner,
    asked,
    ofTurns: () => asked.filter(({ cache }) => cache !== undefined),
    async *stream(request) {
      const { signal: _, ...rest } = request;
      asked.push(structuredClone(rest));
      const round = asked.length;
      for await (const event of inner.stream(request)) {
        if (event.type !== "finished" || blocks === undefined) yield event;
        else {
          const provider_blocks = { provider: "scripted", model: "model", blocks: blocks(round) };
          yield { ...event, message: { ...event.message, provider_blocks } };
        }
      }
    },
  };
}

/** Checks that each request of a transcript is a prefix of the next, byte for byte. */
export function expectPrefixes(requests: readonly Asked[]): void {
  for (const [at, next] of requests.entries()) {
    const before = requests[at - 1];
    if (before === undefined) continue;
    expect(next.system).toBe(before.system);
    expect(JSON.stringify(next.tools)).toBe(JSON.stringify(before.tools));
    expect(next.messages.slice(0, before.messages.length)).toEqual(before.messages);
    const bytes = next.messages.slice(0, before.messages.length).map((message) => JSON.stringify(message));
    expect(bytes).toEqual(before.messages.map((message) => JSON.stringify(message)));
    expect([next.effort, next.cache?.key]).toEqual([before.effort, before.cache?.key]);
  }
}

/** The texts of the system messages of a request, in order. */
export function systemTexts(request: Asked | undefined): string[] {
  return (request?.messages ?? []).flatMap(({ role, text }) => (role === "system" ? text : []));
}
