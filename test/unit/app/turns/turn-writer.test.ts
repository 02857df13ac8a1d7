import { expect, it } from "vitest";
import { Feed } from "../../../../src/app/turns/feed.ts";
import { type TurnObserver, TurnWriter } from "../../../../src/app/turns/turn-writer.ts";
import type { TurnEventBody } from "../../../../src/core/log/turn-event.ts";
import type { ClaimedTurn, TurnLog } from "../../../../src/core/log/turn-log.ts";
import { createRedactor } from "../../../../src/core/values/redact.ts";
import { createMemoryTurnLog } from "../../../../src/storage/memory-turn-log.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";

const author = { id: "ada", name: "Ada", trust: "member" } as const;
const place = { namespace: "console:local:general", thread: "t" };

/** The writer of a turn that has just been claimed. `own` replaces methods of its log; `did` says in order what log and watchers got. */
async function createWorld(
  own: (log: TurnLog) => Partial<TurnLog> = () => ({}),
  observers: readonly TurnObserver[] = [],
) {
  const clock = createFakeClock();
  const real = createMemoryTurnLog(clock);
  const accept = (id: string) =>
    real.accept({ key: id, ...place, author, kind: "message", text: `text of ${id}` }, id, clock.now());
  await accept("t1");
  const claimed = (await real.claim("lease", 60_000)) as ClaimedTurn;
  const did: string[] = [];
  const note = <T>(what: string, result: Promise<T>) => {
    did.push(what);
    return result;
  };
  const log: TurnLog = Object.assign(Object.create(real), {
    append: (...call: Parameters<TurnLog["append"]>) =>
      note(`append ${call[2].map(({ type }) => type)}`, real.append(...call)),
    durable: () => note("durable", real.durable()),
    ...own(real),
  });
  let isHeld = true;
  const lose = () => {
    isHeld = false;
  };
  const shown: Parameters<Feed["publish"]>[] = [];
  const feed = new Feed();
  feed.publish = (...item) => {
    shown.push(item);
    did.push(`show ${item[2].type}`);
  };
  const writer = new TurnWriter({ log, clock, redact: createRedactor(["hunter22"]) }, claimed, () => isHeld, [
    feed.follow(claimed, real),
    ...observers,
  ]);
  const calm = async () => {
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  return { clock, log: real, writer, did, shown, accept, calm, lose };
}

const call = { call_id: "c", tool: "t", title: "T", skill_id: "s", input: {} };
const started = (effect: "read_only" | "idempotent" | "side_effect"): TurnEventBody => ({
  type: "tool_started",
  ...call,
  effect,
});
const opening = {
  opening: "o",
  because: "first",
  deletions: 0,
  messages: [],
  own: 0,
  active: [],
  offloaded: [],
  seen: {},
} as const;
const message = { role: "user", text: "hi" } as const;
const finishedCall: TurnEventBody = {
  type: "tool_finished",
  call_id: "c",
  tool: "t",
  status: "ok",
  output: "x",
  duration_ms: 1,
};

it.each<
  [string, TurnEventBody, "at once" | "at once, and on the disk" | "with others" | "never", shown?: boolean]
>([
  ["a turn that began", { type: "turn_started", profile: "p", model: "m" }, "with others"],
  ["an opening", { type: "transcript_opened", ...opening }, "with others", false],
  [
    "a change",
    { type: "transcript_changed", message: { role: "system", text: "" }, told: {} },
    "with others",
    false,
  ],
  ["what a person said", { type: "user_message", message }, "with others", false],
  ["tokens", { type: "usage", model: "m", input_tokens: 1, output_tokens: 1 }, "with others"],
  [
    "a model's message",
    {
      type: "model_message",
      round: 1,
      model: "m",
      message: { role: "assistant", text: "a", tool_calls: [] },
    },
    "with others",
  ],
  ["a stage", { type: "stage", call_id: "c", skill_id: "s", name: "n", status: "running" }, "with others"],
  ["what a skill made", { type: "skill_output", skill_id: "s", output: 1 }, "with others"],
  [
    "a message on the platform",
    { type: "message_posted", purpose: "answer", part: 0, reference: "1" },
    "with others",
  ],
  ["a call that reads", started("read_only"), "with others"],
  ["a call that may be repeated", started("idempotent"), "at once"],
  ["a call with an effect", started("side_effect"), "at once, and on the disk"],
  ["a call that goes on", { type: "call_resumed", call_id: "c" }, "at once, and on the disk", false],
  ["an answer", { type: "answer_ready", outcome: "completed", text: "a" }, "at once, and on the disk"],
  ["the result of a call", finishedCall, "at once"],
  ["a round", { type: "round_started", round: 1 }, "at once"],
  ["the end", { type: "turn_finished", outcome: "completed", text: "a" }, "at once"],
  ["a piece of the answer", { type: "text_delta", text: "a" }, "never"],
])(
  "%s is stored as what follows it asks for: %j is %s [log-3]",
  async (_what, body, stored, shown = true) => {
    const { writer, did, clock, calm } = await createWorld();
    await writer.write(body);
    const show = shown ? [`show ${body.type}`] : [];
    const all =
      stored === "never"
        ? show
        : [`append ${body.type}`, ...(stored.endsWith("disk") ? ["durable"] : []), ...show];
    expect(did).toEqual(stored === "with others" ? [] : all);
    clock.advance(19);
    await calm();
    expect(did).toEqual(stored === "with others" ? [] : all);
    clock.advance(1);
    await calm();
    expect(did).toEqual(all);
  },
);

it.each([
  ["read_only", ["append tool_started,tool_finished,round_started"]],
  ["idempotent", ["append tool_started", "append tool_finished", "append round_started"]],
] as const)("the result of a %s call of this process is stored in %j", async (effect, stored) => {
  const { writer, did } = await createWorld();
  for (const body of [started(effect), finishedCall, { type: "round_started", round: 2 } as const])
    await writer.write(body);
  expect(did.filter((each) => each.startsWith("append"))).toEqual(stored);
});

it("a turn writer stores waiting events together, before anything later is stored or shown", async () => {
  const { writer, did, clock, calm, log } = await createWorld();
  await writer.write({ type: "turn_started", profile: "p", model: "m" });
  await writer.write({ type: "usage", model: "m", input_tokens: 1, output_tokens: 1 });
  await writer.write({ type: "text_delta", text: "a" });
  await writer.write({ type: "stage", call_id: "c", skill_id: "s", name: "n", status: "running" });
  await writer.write({ type: "round_started", round: 1 });
  expect(did).toEqual([
    "append turn_started,usage",
    ...["show turn_started", "show usage", "show text_delta"],
    "append stage,round_started",
    ...["show stage", "show round_started"],
  ]);
  did.length = 0;
  clock.advance(20);
  await calm();
  await writer.flush();
  expect(did).toEqual([]);
  // The piece of the answer took a number that nothing stored has.
  expect((await log.read("t1")).map(({ seq, type }) => [seq, type])).toEqual([
    ...[
      [0, "inbound"],
      [1, "turn_started"],
      [2, "usage"],
    ],
    ...[
      [4, "stage"],
      [5, "round_started"],
    ],
  ]);
});

it("a turn writer stores events, and shows them in the turn's place, without secrets and with their time", async () => {
  const { writer, log, shown, clock } = await createWorld();
  await writer.write({ type: "turn_finished", outcome: "completed", text: "It is hunter22" });
  await writer.show({ type: "text_delta", text: "hunter22!" });
  const event = { type: "turn_finished", turn_id: "t1", seq: 1, at: clock.now(), text: "It is [secret]" };
  expect((await log.read("t1", 0))[0]).toMatchObject(event);
  expect(shown).toMatchObject([
    [place.namespace, place.thread, event],
    [place.namespace, place.thread, { type: "text_delta", text: "[secret]!", seq: 2 }],
  ]);
});

it("a message that is taken in ends its own turn, and watchers see both", async () => {
  const { writer, log, did, accept } = await createWorld();
  await accept("t2");
  await writer.write({ type: "turn_started", profile: "p", model: "m" });
  await writer.write({ type: "steered", text: "and", by: "ada", from_turn: "t2" });
  expect(did).toEqual(["append turn_started", "show turn_started", "show steered", "show turn_finished"]);
  expect((await log.read("t1")).at(-1)).toMatchObject({ type: "steered", seq: 2, from_turn: "t2" });
  expect(await log.get("t2")).toMatchObject({ status: "finished", merged_into: "t1" });
});

it("a turn writer whose log failed stores nothing more, and tells whoever writes next [log-4]", async () => {
  let tries = 0;
  const { writer, did, clock, calm } = await createWorld(() => ({
    append() {
      tries += 1;
      return Promise.reject(new Error(`full ${tries}`));
    },
  }));
  await writer.write({ type: "turn_started", profile: "p", model: "m" });
  expect(writer.isBroken).toBe(false);
  clock.advance(20);
  await calm();
  expect(writer.isBroken).toBe(true);
  for (const type of ["round_started", "text_delta"] as const)
    await expect(writer.write({ type, round: 1, text: "a" } as TurnEventBody)).rejects.toThrow("full 1");
  await expect(writer.flush()).rejects.toThrow("full 1");
  expect([tries, did]).toEqual([1, []]);
  await writer.show({ type: "error", code: "interrupted", message: "kept" });
  expect(did).toEqual(["show error"]);
});

it.each([
  ["a call with an effect", started("side_effect")] as const,
  ["an answer", { type: "answer_ready", outcome: "completed", text: "a" }] as const,
])(
  "%s does not begin in a process that was paused for so long that another may have the turn",
  async (_what, body) => {
    const { writer, did, lose } = await createWorld();
    lose();
    await expect(writer.write(body)).rejects.toMatchObject({ code: "lease_lost" });
    expect(did).toEqual([`append ${body.type}`, "durable"]);
  },
);

it("an observer hears of an event before it is stored and once it is, and both times the turn waits for it", async () => {
  const heard: string[] = [];
  const slowly = async (what: string) => {
    heard.push(`${what} began`);
    await new Promise((resolve) => setImmediate(resolve));
    heard.push(`${what} ended`);
  };
  const { writer, log } = await createWorld(
    (real) => ({ append: (...call) => slowly("append").then(() => real.append(...call)) }),
    [{ before: () => slowly("before") }, { after: ({ seq }) => slowly(`after ${seq}`) }],
  );
  await writer.write({ type: "turn_finished", outcome: "completed", text: "a" });
  const steps = ["before", "append", "after 1"];
  expect(heard).toEqual(steps.flatMap((step) => [`${step} began`, `${step} ended`]));
  expect(await log.get("t1")).toMatchObject({ status: "finished" });
});
