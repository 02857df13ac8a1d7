import type { ServerResponse } from "node:http";
import { expect, it } from "vitest";
import { createFakeClock } from "../../support/fakes/fake-clock.ts";
import { json, run, start, startApi, traceOf } from "./flow-app.ts";

const call = (url: string, more: object = {}) => ({ type: "apiCall", config: { url, ...more } });
/** Fails so often with a status, then answers. */
const failing = (times: number, status: number, headers: Record<string, string> = {}) => {
  let left = times;
  return (_request: unknown, response: ServerResponse) => {
    left -= 1;
    if (left >= 0) response.writeHead(status, headers);
    response.end(left >= 0 ? "not now" : '"ok"');
  };
};
/** Waits that end at once, and what they were. */
const waits = () => {
  const waited: number[] = [];
  const clock = { sleep: async (ms: number) => void waited.push(ms) };
  return { waited, ports: { clock } };
};

it("a step that fails for a temporary reason is tried again, later each time", async () => {
  const api = await startApi(failing(2, 503));
  const { waited, ports } = waits();
  const { outcome, events } = await run([call(api.origin, { retries: 3 })], {}, { ports });
  expect(outcome).toBe("completed");
  expect(api.received).toHaveLength(3);
  expect(waited).toEqual([500, 1000]);
  expect(events).toContainEqual(
    expect.objectContaining({ type: "tool_progress", note: "That did not work. Trying again (1 of 3)." }),
  );
});

it.each([
  ["says when to come again", 1, 429, { "retry-after": "7" }, [7_000]],
  ["wants more patience than there is", 1, 429, { "retry-after": "3600" }, []],
  ["refuses for good", 1, 404, {}, []],
  ["never recovers", 9, 500, {}, [500]],
])(
  "a server is asked again, or not, as it makes sense: it %s",
  async (_what, times, status, headers, expected) => {
    const api = await startApi(failing(times, status, headers));
    const { waited, ports } = waits();
    const { outcome } = await run([call(api.origin, { retries: 1 })], {}, { ports });
    expect(waited).toEqual(expected);
    expect(outcome).toBe(status === 429 && expected.length > 0 ? "completed" : "failed");
  },
);

it("a request that changes something is repeated when its author allows it", async () => {
  const refused = await run([call("https://x.test", { method: "POST", retries: 1 })]);
  expect(refused.text).toContain("There are no flows yet");
  const api = await startApi(failing(1, 503));
  const post = call(api.origin, { method: "POST", retries: 1, idempotent: true });
  expect((await run([post], {}, waits())).outcome).toBe("completed");
  expect(api.received).toHaveLength(2);
});

it("a step that takes too long is given up, and its request with it", async () => {
  const closed = Promise.withResolvers<void>();
  const api = await startApi((_request, response) => void response.on("close", () => closed.resolve()));
  const { output, text } = await run([call(api.origin, { timeout_ms: 40, name: "Ask" })]);
  await closed.promise;
  expect(text).toContain('stopped at step 1 of 1 (apiCall "Ask"): It took longer than 40 ms.');
  expect(output).toMatchObject({ code: "step_timed_out" });
});

it("results and trace have each step's name and duration", async () => {
  const clock = createFakeClock();
  const api = await startApi((request, response) => {
    void clock.advance(25);
    json(1)(request, response);
  });
  const steps = [start([]), call(api.origin, { name: "Fetch it", resultVariable: "r" })];
  const { output, events } = await run(steps, {}, { clock });
  expect(output).toMatchObject({
    output: {
      success: true,
      results: [
        { success: true, result: {}, step: 1, type: "start", duration_ms: 0 },
        { success: true, result: 1, step: 2, type: "apiCall", name: "Fetch it", duration_ms: 25 },
      ],
      variables: { r: 1 },
      directOutput: null,
    },
  });
  expect(traceOf(events)).toEqual(["1 start", "2 Fetch it", "skill_f"]);
});
