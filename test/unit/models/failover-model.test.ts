import { describe, expect, it } from "vitest";
import {
  type Model,
  ModelError,
  type ModelErrorCode,
  type ModelEvent,
} from "../../../src/core/ports/model.ts";
import { createFailoverModel } from "../../../src/models/around/failover-model.ts";
import { createRetryingModel, defaultRetryPolicy } from "../../../src/models/around/retrying-model.ts";
import { collect, requestOf, shownText } from "./collect.ts";
import { recordingClock } from "./recording-clock.ts";

type Step = ModelEvent | ModelError;

/** A model that plays one script per request, and the last one again and again. */
function scripted(id: string, scripts: Step[][], generative = true): Model & { asked: number } {
  const model = {
    id,
    generative,
    asked: 0,
    async *stream() {
      const script = scripts[Math.min(model.asked, scripts.length - 1)] ?? [];
      model.asked += 1;
      for (const step of script) {
        if (step instanceof ModelError) throw step;
        yield step;
      }
    },
  };
  return model;
}

const text = (value: string): ModelEvent => ({ type: "text", text: value });
const done = (model: string, value: string): ModelEvent => ({
  type: "finished",
  message: { role: "assistant", text: value, tool_calls: [] },
  usage: { input_tokens: 1, output_tokens: 1 },
  model,
});
const failure = (code: ModelErrorCode, message: string = code) => new ModelError(code, message);

describe("failover", () => {
  it("failover asks no other model to keep a conversation in its cache", async () => {
    const second = scripted("b", [[done("b", "")]]);
    const models = createFailoverModel(scripted("a", [[failure("unavailable")]]), [second]);
    const { error } = await collect(models, { ...requestOf("x"), keep_only: true });
    expect([error, second.asked]).toEqual([expect.objectContaining({ code: "unavailable" }), 0]);
  });

  it.each([
    "unauthorized",
    "unavailable",
    "overloaded",
    "rate_limited",
    "not_configured",
    "invalid_request",
  ] as const)("failover goes to the next model on %s", async (code) => {
    const second = scripted("b", [[done("b", "yes")]]);
    const { events } = await collect(
      createFailoverModel(scripted("a", [[failure(code)]]), [second]),
      requestOf("x"),
    );
    expect(events).toEqual([
      { type: "delayed", text: expect.stringMatching(/^The model .*\. Asking another model instead\.$/) },
      done("b", "yes"),
    ]);
  });

  it("failover tells of each model that failed once another has answered", async () => {
    const told: string[] = [];
    const tell = (model: string, { code }: ModelError) => void told.push(`${model} ${code}`);
    const [first, second] = [
      scripted("a", [[failure("unavailable")]]),
      scripted("b", [[failure("overloaded")]]),
    ];
    const answering = createFailoverModel(first, [second, scripted("c", [[done("c", "yes")]])], tell);
    await collect(answering, requestOf("x"));
    expect(told.toSorted()).toEqual(["a unavailable", "b overloaded"]);
    await collect(createFailoverModel(first, [second], tell), requestOf("x"));
    expect(told).toHaveLength(2);
  });

  it.each(["context_too_long", "declined", "cut_off"] as const)(
    "failover asks nobody else on %s",
    async (code) => {
      const second = scripted("b", [[done("b", "yes")]]);
      const { error } = await collect(
        createFailoverModel(scripted("a", [[failure(code)]]), [second]),
        requestOf("x"),
      );
      expect(error).toMatchObject({ code });
      expect(second.asked).toBe(0);
    },
  );

  it("failover ends with the second refusal without a reason, and tells both", async () => {
    const models = ["a", "b", "c"].map((id) => scripted(id, [[failure("invalid_request", `${id} said no`)]]));
    const [first, ...others] = models as [(typeof models)[0], ...typeof models];
    const { error } = await collect(createFailoverModel(first, others), requestOf("x"));
    expect(error).toMatchObject({ code: "invalid_request" });
    expect(String(error)).toMatch(/a said no.*b said no/);
    expect(models.map(({ asked }) => asked)).toEqual([1, 1, 0]);
  });

  it.each([
    ["overloaded", "unauthorized"],
    ["unauthorized", "overloaded"],
  ] as const)("failover fails as one that may be back later when %s and %s failed", async (first, second) => {
    const model = createFailoverModel(scripted("a", [[failure(first)]]), [
      scripted("b", [[failure(second)]]),
    ]);
    expect((await collect(model, requestOf("x"))).error).toMatchObject({ code: "overloaded" });
  });

  it("failover voids the text of the model that failed", async () => {
    const first = scripted("a", [[text("Half an"), failure("unavailable")]]);
    const second = scripted("b", [[text("Whole"), done("b", "Whole")]]);
    const { events } = await collect(createFailoverModel(first, [second]), requestOf("x"));
    expect(events.map((event) => event.type)).toEqual(["text", "reset", "delayed", "text", "finished"]);
    expect(shownText(events)).toBe("Whole");
  });

  it("failover never goes to the offline model", async () => {
    const offline = scripted("offline", [[done("offline", "beep")]], false);
    const first = scripted("a", [[failure("unavailable")]]);
    const { error } = await collect(createFailoverModel(first, [offline]), requestOf("x"));
    expect(error).toMatchObject({ code: "unavailable" });
    expect(offline.asked).toBe(0);
  });

  it("failover reports every model when all fail", async () => {
    const first = scripted("a", [[failure("overloaded", "a is overloaded.")]]);
    const second = scripted("b", [[failure("unauthorized", "b refused the key. Check B_KEY.")]]);
    const { error } = await collect(createFailoverModel(first, [second]), requestOf("x"));
    expect(error).toBeInstanceOf(ModelError);
    expect(String(error)).toContain("a is overloaded.");
    expect(String(error)).toContain("Check B_KEY.");
    expect(error).toMatchObject({ cause: { errors: [{ code: "overloaded" }, { code: "unauthorized" }] } });
  });

  it("failover lets a bug through unchanged", async () => {
    const bug = new TypeError("x is not a function");
    const broken: Model = {
      id: "a",
      generative: true,
      // biome-ignore lint/correctness/useYield: it fails before it could
      async *stream() {
        throw bug;
      },
    };
    const { error } = await collect(createFailoverModel(broken, [scripted("b", [[]])]), requestOf("x"));
    expect(error).toBe(bug);
  });
});

describe("retries", () => {
  it("retries wait longer each time up to the limit, and end after the last attempt", async () => {
    const model = scripted("a", [[failure("overloaded", "a is overloaded.")]]);
    const clock = recordingClock();
    const policy = { ...defaultRetryPolicy, attempts: 5, minMs: 100, maxMs: 300 };
    const { error } = await collect(
      createRetryingModel(model, policy, clock, () => 0.5),
      requestOf("x"),
    );
    expect(clock.sleeps).toEqual([100, 200, 300, 300]);
    expect(error).toMatchObject({ code: "overloaded", message: "a is overloaded. It was tried 5 times." });
  });

  it.each(["unauthorized", "invalid_request", "context_too_long", "not_configured"] as const)(
    "retries are not made on %s",
    async (code) => {
      const model = scripted("a", [[failure(code)]]);
      const policy = { ...defaultRetryPolicy, attempts: 5 };
      const { error } = await collect(createRetryingModel(model, policy, recordingClock()), requestOf("x"));
      expect(model.asked).toBe(1);
      expect(error).toMatchObject({ code, message: code });
    },
  );

  it.each([
    ["an outage", [failure("overloaded")], 2, [100]],
    [
      "an outage whose end is known and far",
      [new ModelError("rate_limited", "", { retryAfterMs: 6_000 })],
      1,
      [],
    ],
    ["a slip of the model", [failure("bad_response")], 4, [100, 200, 400]],
  ] as const)(
    "retries of what can wait without a worker are few after %s",
    async (_name, script, asked, sleeps) => {
      const model = scripted("a", [[...script]]);
      const clock = recordingClock();
      const policy = { ...defaultRetryPolicy, minMs: 100 };
      const retrying = createRetryingModel(model, policy, clock, () => 0.5);
      await collect(retrying, requestOf("x", { can_wait: true }));
      expect(model.asked).toBe(asked);
      expect(clock.sleeps).toEqual(sleeps);
    },
  );

  it("retries reset only when text was shown since the last reset", async () => {
    const cut = failure("unavailable");
    const model = scripted("a", [[text("Ha"), cut], [cut], [text("Hello"), done("a", "Hello")]]);
    const policy = { ...defaultRetryPolicy, attempts: 5 };
    const { events } = await collect(createRetryingModel(model, policy, recordingClock()), requestOf("x"));
    expect(events.map((event) => event.type)).toEqual([
      "text",
      "reset",
      "delayed",
      "delayed",
      "text",
      "finished",
    ]);
  });
});
