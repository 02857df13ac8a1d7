import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { describe, expect, it } from "vitest";
import { ModelError } from "../../src/core/ports/model.ts";
import type { ModelServer } from "../support/models/model-server.ts";
import { collect, finish, requestOf, shownText } from "../unit/models/collect.ts";
import { recordingClock } from "../unit/models/recording-clock.ts";
import { key, type ModelUnderContract, modelsOf, sentence, thenAnswer } from "./model-under-contract.ts";

/** What every model does when its server fails. */
export function describeModelFailures(subject: ModelUnderContract, server: () => ModelServer): void {
  describe(`the model ${subject.choice}, when its server fails,`, () => {
    const create = modelsOf(subject, server);

    const limited = {
      error: { message: "slow down", type: "rate_limit_error" },
      status: 429,
      retryAfter: 7,
    };

    it("a model waits as long as a 429 asks for, then answers", async () => {
      await server().add(thenAnswer("hello", [limited]));
      const clock = recordingClock();
      const event = await finish(create({}, clock), requestOf("hello"));
      expect(event.message.text).toBe(sentence);
      expect(clock.sleeps).toEqual([7000]);
    });

    it("a model gives up when a 429 asks for a longer wait than is allowed", async () => {
      await server().add(thenAnswer("hello", [limited]));
      const clock = recordingClock();
      const { error } = await collect(
        create({ retry: { maxRetryAfterMs: 5000 } }, clock),
        requestOf("hello"),
      );
      expect(error).toMatchObject({ code: "rate_limited", retryAfterMs: 7000 });
      expect(clock.sleeps).toEqual([]);
    });

    it.each([500, 529])("a model asks again after a %i, later each time, and answers", async (status) => {
      const failure = { error: { message: "broken", type: "api_error" }, status };
      await server().add(thenAnswer("hello", [failure, failure]));
      const clock = recordingClock();
      const event = await finish(create({ retry: { attempts: 3, minMs: 100 } }, clock), requestOf("hello"));
      expect(event.message.text).toBe(sentence);
      const [first = 0, second = 0] = clock.sleeps;
      expect(first).toBeGreaterThanOrEqual(50);
      expect(first).toBeLessThanOrEqual(150);
      expect(second).toBeGreaterThanOrEqual(100);
      expect(second).toBeLessThanOrEqual(300);
    });

    it("a model retries a stream that is cut, and shows its text once", async () => {
      const match = { userMessage: "hello" };
      const cut = { truncateAfterChunks: 9, latency: 3, chunkSize: 4 };
      await server().add([
        { match: { ...match, sequenceIndex: 0 }, response: { content: sentence }, ...cut },
        { match: { ...match, sequenceIndex: 1 }, response: { content: sentence } },
      ]);
      const { events } = await collect(create(), requestOf("hello"));
      const reset = events.findIndex((event) => event.type === "reset");
      expect(reset).toBeGreaterThan(0);
      expect(events.slice(0, reset).every((event) => event.type === "text")).toBe(true);
      expect(events.filter((event) => event.type === "reset")).toHaveLength(1);
      expect(shownText(events)).toBe(sentence);
      expect(events.at(-1)).toMatchObject({ type: "finished", message: { text: sentence } });
    });

    it("a model cuts a stream that falls silent and asks again", async () => {
      const match = { userMessage: "hello" };
      const silent = { latency: 5000, chunkSize: 4 };
      await server().add([
        { match: { ...match, sequenceIndex: 0 }, response: { content: sentence }, ...silent },
        { match: { ...match, sequenceIndex: 1 }, response: { content: sentence } },
      ]);
      const { events } = await collect(create({ idleTimeoutMs: 1_000 }), requestOf("hello"));
      expect(shownText(events)).toBe(sentence);
      expect((await server().requests()).length).toBe(2);
    });

    it("a model does not take a slow stream for a silent one", async () => {
      const slow = { latency: 120, chunkSize: 4 };
      await server().add([{ match: { userMessage: "hello" }, response: { content: sentence }, ...slow }]);
      const { events } = await collect(create({ idleTimeoutMs: 1_000 }), requestOf("hello"));
      expect(events.some((event) => event.type === "reset")).toBe(false);
      expect(shownText(events)).toBe(sentence);
    });

    it.each([true, false])("a model takes garbage for an outage (streaming %s)", async (streaming) => {
      const chaos = { malformedRate: 1 };
      await server().add([{ match: { userMessage: "hello" }, response: { content: sentence }, chaos }]);
      const { error } = await collect(create({ streaming }), requestOf("hello"));
      expect(error).toBeInstanceOf(ModelError);
      expect(error).toMatchObject({ code: "unavailable", message: expect.stringContaining("base URL") });
    });

    it("a model says which server is down after all attempts", async () => {
      const clock = recordingClock();
      const port = await unusedPort();
      const { error } = await collect(create({}, clock, `http://127.0.0.1:${port}/v1`), requestOf("hello"));
      expect(error).toMatchObject({ code: "unavailable" });
      expect(String(error)).toContain(`127.0.0.1:${port}`);
      expect(String(error)).toContain("ECONNREFUSED");
      expect(String(error)).toContain("is up and reachable");
      expect(clock.sleeps).toHaveLength(2);
    });

    it("a model keeps every part of the key out of the error, and says where it is set", async () => {
      const message = `Incorrect API key provided: sk-test-************ghij. Header was Bearer ${key}.`;
      const error401 = { error: { message, type: "authentication_error" }, status: 401 };
      await server().add([{ match: { userMessage: "hello" }, response: error401 }]);
      const clock = recordingClock();
      const { error } = await collect(create({}, clock), requestOf("hello"));
      expect(error).toMatchObject({ code: "unauthorized" });
      expect(String(error)).toContain(subject.keyName);
      expect(String(error)).not.toMatch(/sk-test|ghij|0123456789/);
      expect(JSON.stringify((error as Error).cause ?? "")).not.toContain("sk-test");
      expect(clock.sleeps).toEqual([]);
    });

    it("a model's failover asks the next of the list, in order, when one refuses the key", async () => {
      const error401 = { error: { message: "no", type: "authentication_error" }, status: 401 };
      const error500 = { error: { message: "no", type: "api_error" }, status: 500 };
      const name = subject.choice.slice(0, subject.choice.indexOf("/"));
      const model = subject.choice.slice(name.length + 1);
      await server().add([
        { match: { model }, response: error401 },
        { match: { model: "second" }, response: error500 },
        { match: { model: "third" }, response: { content: sentence } },
      ]);
      const failover = [`${name}/second`, `${name}/third`, `${name}/fourth`];
      const event = await finish(create({ failover, retry: { attempts: 2 } }), requestOf("hello"));
      expect(event).toMatchObject({ message: { text: sentence }, model: `${name}/third` });
      const asked = (await server().requests()).map((request) => request.body.model);
      expect(asked).toEqual([model, "second", "second", "third"]);
    });
  });
}

/** A port on which nobody listens. */
async function unusedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
