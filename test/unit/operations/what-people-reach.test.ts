import { describe, expect, it } from "vitest";
import { type Operation, runOperation } from "../../../src/app/operations/operation.ts";
import type { Services } from "../../../src/app/operations/services.ts";
import { allOperations } from "../../../src/app/operations/table.ts";
import type { SkillRun } from "../../../src/app/services/skill-runs.ts";
import type { TurnEvent } from "../../../src/core/log/turn-event.ts";
import type { TurnRecord } from "../../../src/core/log/turn-log.ts";
import type { Author, Trust } from "../../../src/core/values/inbound.ts";

const here = "slack:T1:C1";
const elsewhere = "slack:T1:C2";
const secret = "vault-code-4711";
const usage = {
  input_tokens: 1,
  cached_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 1,
  unpriced_tokens: 0,
};
const ben: Author = { id: "ben", name: "Ben", trust: "member" };
const isOperators = ({ who }: Operation) =>
  typeof who === "object" && "least" in who && who.least === "operator";
const namesChannel = ({ input }: Operation) => "ns" in input.shape || "namespace" in input.shape;

function turnIn(turn_id: string, namespace: string, more: Partial<TurnRecord> = {}): TurnRecord {
  const at = { accepted_at: 1, started_at: 1 };
  return {
    ...{
      turn_id,
      namespace,
      thread: "t",
      kind: "message",
      author: ben,
      text: "What is it?",
      status: "waiting",
    },
    ...{ answer: `It is ${secret}`, ...at, ...usage, ...more },
  } as TurnRecord;
}

/** Turns of Ben: in the channel, for him alone there, his agent's work in the background of that one before it begins, and elsewhere. */
const turns: readonly TurnRecord[] = [
  turnIn("public", here, { answer: "It is Friday" }),
  turnIn("private", here),
  turnIn("background", here, { text: `Mail ${secret}`, answer: undefined }),
  turnIn("foreign", elsewhere),
];

function eventsOf({ turn_id, text }: TurnRecord): TurnEvent[] {
  const background = { to: "mailer", private_from: [], untrusted: [], seen: {} };
  const cause = { kind: "handoff", id: "private", because: "in the background", background };
  const inbound = { text, ...(turn_id === "background" ? { cause } : {}) };
  const marks = turn_id === "private" ? [{ type: "answer_private", because: secret, seq: 1 }] : [];
  return [{ type: "inbound", inbound, turn_id, seq: 0, at: 1 }, ...marks] as unknown as TurnEvent[];
}

const runs = turns.map(({ turn_id, namespace }) => {
  const failed = {
    status: "failed",
    error: `No such ${secret}`,
    started_at: 1,
    input: secret,
    output: secret,
  };
  const base = { run_id: `${turn_id}:c1`, turn_id, skill_id: "mail", user: ben.id, namespace, ...failed };
  return turn_id === "public"
    ? { ...base, input: {}, output: "", error: "Gone" }
    : { ...base, private: true };
}) as SkillRun[];

const isIn = (filter: { namespace?: string | undefined }) => (each: { namespace: string }) =>
  filter.namespace === undefined || filter.namespace === each.namespace;
const services = {
  turns: {
    get: async (id: string) => turns.find(({ turn_id }) => turn_id === id),
    list: async (filter: { namespace?: string }) => turns.filter(isIn(filter)),
    events: async (turn: TurnRecord) => eventsOf(turn),
  },
  runs: async (filter: { namespace?: string }) => runs.filter(isIn(filter)),
  store: { get: async (key: string) => (key.includes("feedback") ? { dora: "bad" } : undefined) },
  clock: { now: () => 0 },
  profiles: [{ id: "main" }],
} as unknown as Services;

function reader(trust: Trust, id = "dora") {
  return async (name: string, input: object, namespace = here) => {
    const operation = allOperations.find((each) => each.name === name);
    if (operation === undefined) throw new Error(name);
    const asker = { by: { id, name: id, trust }, namespace };
    const call = { input: operation.input.parse(input), asker, services };
    return runOperation(operation, { ...call, signal: new AbortController().signal });
  };
}

/** Each operation that gives turns or what they made, with input about a turn of this name in the channel. */
const reads: readonly [name: string, input: (turn: string, namespace: string) => object][] = [
  ["turn.show", (id) => ({ id })],
  ["run.show", (id) => ({ id })],
  ["run.show", (id) => ({ id: `${id}:c1` })],
  ["thread.show", (_id, ns) => ({ ns, thread: "t" })],
  ["run.list", (_id, namespace) => ({ namespace })],
  ["channel.status", (_id, namespace) => ({ namespace })],
];

describe("what people reach", () => {
  it.each(allOperations)(
    "what people reach with $name is declared, or the channel of its input [access-8]",
    (operation) => {
      expect(isOperators(operation) || namesChannel(operation) || operation.about !== undefined).toBe(true);
      expect(namesChannel(operation) && operation.about !== undefined).toBe(false);
    },
  );

  it.each(
    allOperations.filter(
      (each) => !isOperators(each) && (namesChannel(each) || typeof each.about === "object"),
    ),
  )(
    "what people reach with $name is not another channel, whatever they may do in theirs",
    async (operation) => {
      for (const trust of ["guest", "member", "manager"] as const)
        for (const id of ["foreign", "foreign:c1", "unknown"]) {
          const input = { ns: elsewhere, namespace: elsewhere, thread: "t", id };
          const asker = { by: { id: "dora", name: "Dora", trust }, namespace: here };
          const outcome = await runOperation(operation, {
            input,
            asker,
            services,
            signal: AbortSignal.timeout(9_000),
          });
          const isManagers = typeof operation.who === "object" && "least" in operation.who;
          const status = isManagers && trust !== "manager" ? 403 : 404;
          expect(outcome).toMatchObject({ ok: false, status });
        }
    },
  );

  it("what people reach without naming a channel is none", async () => {
    expect(await reader("manager")("run.list", {})).toMatchObject({ ok: false, status: 404 });
  });

  it("what people reach elsewhere are their own turns", async () => {
    const own = reader("guest", "ben");
    expect(await own("turn.show", { id: "foreign" })).toMatchObject({
      ok: true,
      value: { turn_id: "foreign" },
    });
  });

  it.each(reads)(
    "what people reach of private turns by %s is that they were [access-8]",
    async (name, inputFor) => {
      for (const id of ["private", "background"]) {
        for (const trust of ["guest", "member", "manager"] as const) {
          const outcome = await reader(trust)(name, inputFor(id, here));
          expect(outcome.ok).toBe(true);
          expect(JSON.stringify(outcome)).not.toContain(secret);
        }
        for (const open of [reader("operator"), reader("member", "ben")]) {
          const outcome = JSON.stringify(await open(name, inputFor(id, here)));
          expect(outcome).toContain(secret);
        }
      }
    },
  );

  it("what people reach of public turns is all", async () => {
    const shown = await reader("guest")("run.show", { id: "public" });
    expect(shown).toMatchObject({
      ok: true,
      value: { turn: { text: "It is Friday" }, events: [{}], skills: [{ error: "Gone" }] },
    });
  });

  it("what people reach as feedback does not have the task of private work", async () => {
    const listed = await reader("manager")("feedback.list", { namespace: here });
    expect(listed).toMatchObject({
      ok: true,
      value: { answers: [{}, { question: "What is it?" }, { question: "" }] },
    });
  });
});
