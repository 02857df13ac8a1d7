import { OpenAPIHono } from "@hono/zod-openapi";
import { describe, expect, it } from "vitest";
import { operationCommands } from "../../../src/app/commands/operation-commands.ts";
import { type CommandCall, type Operation, runOperation } from "../../../src/app/operations/operation.ts";
import type { Services } from "../../../src/app/operations/services.ts";
import { allOperations, operationRoutes } from "../../../src/app/operations/table.ts";
import { createApiClient } from "../../../src/client/api-client.ts";
import type { Author, Trust } from "../../../src/core/values/inbound.ts";
import { addOperationRoutes } from "../../../src/server/routes/operation-routes.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";

const ownMachine = { host: "127.0.0.1", port: 0 };
const trusts: readonly Trust[] = ["guest", "member", "manager", "operator"];
const channel = "slack:T1:C1";
const direct = "slack:T1:dm-U1";
const places = [channel, direct];

/** Everything there is, in which nothing happens: what may run says so, before it does anything. */
const operations = allOperations.map(
  (operation): Operation => ({
    ...operation,
    run: async () => ({ ok: false, status: 409, message: "It may run." }),
  }),
);

/** A turn that Ben asked for. */
const turn = { turn_id: "turn-1", namespace: channel, author: { id: "ben", name: "Ben", trust: "member" } };

const services = {
  turns: { get: async (id: string) => (id === turn.turn_id ? turn : undefined) },
  approvals: { mayDecide: async () => ({ ok: false, status: 403, message: "A manager has to decide." }) },
  schedules: { mayChange: async () => ({ ok: false, status: 403, message: "Its maker may." }) },
  goals: { of: async () => ({ view: { by: turn.author.name }, maker: turn.author }) },
  skills: { ids: async () => [], detail: async (id: string) => ({ id, taught: { home: channel } }) },
  teaching: { get: async (id: string) => ({ id, home: channel }) },
  store: createMemoryKeyValue(),
  clock: { now: () => 0 },
} as unknown as Services;

/** Input that the operation takes, in this place, about what nobody knows but the turn of Ben. */
function inputOf({ input }: Operation, namespace: string): Record<string, unknown> {
  const known: Record<string, unknown> = {
    ns: namespace,
    namespace,
    id: turn.turn_id,
    settings: { paused: true },
    hash: "a".repeat(64),
    language: "python",
    with: "others",
  };
  const entries = Object.entries(input.shape).flatMap(([name, schema]) => {
    const fitting = [
      known[name],
      undefined,
      "start",
      "pinned",
      "x",
      channel,
      null,
      true,
      1,
      {},
      ["x"],
      [],
    ].find((each) => schema.safeParse(each).success);
    return fitting === undefined ? [] : [[name, fitting] as const];
  });
  return input.parse(Object.fromEntries(entries));
}

type Decision = "may" | "may not" | "unknown";

async function byProgram(operation: Operation, by: Author, namespace: string): Promise<Decision> {
  const call = { input: inputOf(operation, namespace), asker: { by, namespace }, services };
  const outcome = await runOperation(operation, { ...call, signal: new AbortController().signal });
  if (outcome.ok) throw new Error("nothing runs here");
  return outcome.status === 409 ? "may" : outcome.status === 403 ? "may not" : "unknown";
}

async function byCommand(operation: Operation, by: Author, namespace: string): Promise<Set<string>> {
  const commands = operationCommands([operation]).filter(
    (_command, at) => !("answer" in ([operation.chat ?? []].flat()[at] ?? {})),
  );
  const call = { place: { namespace, thread: "t" }, author: by, input: inputOf(operation, namespace) };
  const results = await Promise.all(
    commands.map((command) => command.run(call as unknown as CommandCall, services)),
  );
  return new Set(results.map(({ text }) => text));
}

/** Least trust in a channel and in a direct message, by what the definition says; undefined where it depends on the matter. */
function leastOf({ who, name }: Operation): Record<string, Trust> | undefined {
  const manager = { [channel]: "manager", [direct]: "member" } as const;
  if (who === "anyone") return { [channel]: "guest", [direct]: "guest" };
  if ("least" in who && who.least === "operator") return { [channel]: "operator", [direct]: "operator" };
  if ("least" in who || name === "channel.change" || name === "skill.limit") return manager;
  return name.startsWith("turn.") || name === "goal.stop"
    ? { [channel]: "manager", [direct]: "manager" }
    : undefined;
}

/** People reach turns of their channel alone, and there is no approval. */
function isOutOfReach({ about, name }: Operation, trust: Trust, namespace: string): boolean {
  const hasNone = namespace === direct || name.startsWith("approval.");
  return typeof about === "object" && trust !== "operator" && hasNone;
}

function expected(operation: Operation, trust: Trust, namespace: string): Decision | undefined {
  if (isOutOfReach(operation, trust, namespace)) return "unknown";
  const least = leastOf(operation)?.[namespace];
  if (least === undefined) return undefined;
  return trusts.indexOf(trust) >= trusts.indexOf(least) ? "may" : "may not";
}

const table = operations.flatMap((operation) =>
  trusts.flatMap((trust) => places.map((namespace) => ({ operation, trust, namespace }))),
);

describe.each(table)("$operation.name for a $trust in $namespace", ({ operation, trust, namespace }) => {
  const by: Author = { id: "eve", name: "Eve", trust };

  it("the permission is decided as the definition says, by command as by program", async () => {
    const decision = await byProgram(operation, by, namespace);
    expect(decision).toBe(expected(operation, trust, namespace) ?? decision);
    for (const text of await byCommand(operation, by, namespace)) {
      expect(text === "It may run.").toBe(decision === "may");
    }
  });
});

it("the asker may stop, answer and delete their own turn", async () => {
  const own = operations.filter(({ name }) => ["turn.stop", "turn.answer", "turn.forget"].includes(name));
  expect(own).toHaveLength(3);
  const ben = { ...turn.author, trust: "member" as const };
  for (const operation of own) expect(await byProgram(operation, ben, channel)).toBe("may");
});

it("the API decides as for an operator on every route", async () => {
  const api = new OpenAPIHono();
  const app = {
    run: (name: string, { input, asker }: { input: never; asker: never }) => {
      const operation = operations.find((each) => each.name === name);
      if (operation === undefined) throw new Error(`no operation ${name}`);
      return runOperation(operation, { input, asker, services, signal: new AbortController().signal });
    },
  };
  api.onError((error, context) => context.json({ detail: error.message }, 409));
  addOperationRoutes(api, { app, operator: "Ada", speakForPeople: false } as never, ownMachine, operations);
  const root = new OpenAPIHono();
  root.route("/api/v1", api);
  const client = createApiClient({
    fetch: async (url, init) => root.request(url, init),
    baseUrl: "http://localhost",
    routes: operationRoutes,
  });
  const operator: Author = { id: "operator", name: "Ada", trust: "operator" };
  for (const operation of operations.filter(({ http }) => http !== undefined)) {
    const asked = client.call(operation.name as never, inputOf(operation, channel) as never);
    const said = await Promise.resolve(asked).then(
      () => "",
      (error: Error) => error.message,
    );
    const decision = await byProgram(operation, operator, channel);
    expect([operation.name, said.includes("It may run.")]).toEqual([operation.name, decision === "may"]);
  }
});
