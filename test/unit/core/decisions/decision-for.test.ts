import { describe, expect, it } from "vitest";
import {
  approverWithin,
  type CallDecision,
  decisionFor,
} from "../../../../src/core/decisions/decide-call.ts";
import {
  addStanding,
  type StandingDecision,
  writeTrust,
} from "../../../../src/core/decisions/standing-decisions.ts";
import type { TurnPorts } from "../../../../src/core/scope/turn.ts";
import type { Skill } from "../../../../src/core/skill/skill.ts";
import type { ServerTool, Tool } from "../../../../src/core/skill/tool.ts";
import { readArguments } from "../../../../src/core/values/call-arguments.ts";
import { printsOf } from "../../../../src/core/values/call-binding.ts";
import type { Json } from "../../../../src/core/values/json.ts";
import { call, callScope } from "../../../support/fakes/call-scope.ts";
import { type TestTool, testSkill } from "../../../support/skills/test-skill.ts";

const namespace = "slack:T1:C1";
const installed = { source: "managed", precedence: 3, path: "/mail" } as const;
const sends: Partial<TestTool> = { effect: "side_effect", approval: () => "asker" };
const to = { to: "ann@example.com", text: "hello" };
const hosts = {
  grants: { hostsOf: async () => ["a.example", "b.example"] },
} as unknown as Partial<TurnPorts>;

interface Case extends Omit<Parameters<typeof callScope>[0] & object, "skills"> {
  tool?: Partial<TestTool>;
  skill?: Partial<Skill>;
  input?: Json;
  /** The input when it was allowed or refused, if it was another. */
  card?: Json;
  private?: boolean;
  byPerson?: true;
  standing?: readonly Partial<StandingDecision>[];
}

/** The decision about a call of the tool `send` of the skill `mail`. */
async function decide({ tool = sends, skill = {}, input = to, card = input, ...options }: Case) {
  const { standing = [] } = options;
  const mail = testSkill("mail", [{ name: "send", ...tool }], skill);
  const { scope } = callScope({ namespace, ...options, skills: [mail] });
  scope.state.private = options.private ?? false;
  const send = mail.tools[0] as Tool;
  const request = options.byPerson ? { ...call, by_person: true as const } : call;
  const first = await decisionFor(scope, request, send, card);
  const binding = first?.kind === "ask" ? first.asked.binds : undefined;
  if (binding === undefined) return first;
  for (const each of standing)
    await addStanding(scope.ports.store, namespace, {
      verdict: "always",
      approver: "manager",
      by: "mia",
      name: "Mia",
      at: 1,
      binding: { ...binding, seen: await printsOf(readArguments(card).free) },
      ...each,
    });
  return await decisionFor(scope, request, send, input);
}

/** A decision in a few words: who is asked and why, whether it can be decided for good, or what was decided. */
function brief(found: CallDecision | undefined): string {
  if (found === undefined) return "runs";
  if (found.kind === "decided") return found.standing.verdict;
  const { approver, reason, binds, addresses = [] } = found.asked;
  return [approver, ...addresses, binds === undefined ? "each time" : "", reason].filter(Boolean).join(" | ");
}

const each = "mail asks for this each time.";
const sharing = "It may contain text that I read only for you, and others here could see it.";
const server = (more: Partial<ServerTool> = {}): Partial<TestTool> => ({
  effect: "side_effect",
  server: {
    server: "hub",
    tool: "send",
    definition: "d1",
    own: true,
    hints: {},
    configured: {},
    ...more,
  },
});
const fromServer = "send may change something at the server hub, and no operator has trusted it.";
const foreign = "The code of the skill mail did not ship with the bot, and it can reach";

describe("what becomes of a call", () => {
  it.each<[string, Case, string]>([
    ["that asks for nothing", { tool: { effect: "side_effect" } }, "runs"],
    ["that asks by itself", {}, `asker | ${each}`],
    [
      "that asks with words of its own",
      { tool: { ...sends, approval: () => ({ approver: "manager", reason: "Costs money." }) } },
      "manager | Costs money.",
    ],
    [
      "of a skill of high risk",
      { tool: { effect: "side_effect" }, skill: { risk: "high" } },
      "operator | The skill mail is marked as high-risk.",
    ],
    [
      "in a direct message",
      { tool: { ...sends, approval: () => "manager" }, namespace: "slack:T1:dm-U1" },
      `asker | ${each}`,
    ],
    ["for a guest", { trust: "guest" }, `manager | ${each}`],
    ["that a person wrote", { byPerson: true }, "runs"],
    ["whose tool has no version", { skill: { hash: undefined as never } }, `asker | each time | ${each}`],

    [
      "of code from elsewhere that reaches nothing",
      { tool: { effect: "side_effect" }, skill: { origin: installed, kind: "document" } },
      "runs",
    ],
    [
      "of code from elsewhere that reaches hosts",
      { tool: { effect: "side_effect" }, skill: { origin: installed, kind: "document" }, ports: hosts },
      `asker | ${foreign} a.example, b.example.`,
    ],
    [
      "of code that runs unconfined",
      {
        tool: { effect: "side_effect" },
        skill: { origin: installed, kind: "document" },
        ports: { scripts: { allows: async () => ({ ok: true, unconfined: true }) } as never },
      },
      `asker | ${foreign} everything that the bot can.`,
    ],
    [
      "of code that is confined",
      {
        tool: { effect: "side_effect" },
        skill: { origin: installed, kind: "document" },
        ports: { scripts: { allows: async () => ({ ok: true }) } as never },
      },
      "runs",
    ],
    [
      "of code that may not run at all",
      {
        tool: { effect: "side_effect" },
        skill: { origin: installed, kind: "document" },
        ports: { scripts: { allows: async () => ({ ok: false, unconfined: true }) } as never },
      },
      "runs",
    ],
    [
      "of code that shipped",
      { tool: { effect: "side_effect" }, skill: { kind: "document" }, ports: hosts },
      "runs",
    ],
    [
      "of a built-in skill, wherever it is from",
      { tool: { effect: "side_effect" }, skill: { origin: installed, kind: "builtin" }, ports: hosts },
      "runs",
    ],
    [
      "of a flow that changes something",
      { tool: { effect: "side_effect" }, skill: { kind: "flow" } },
      "asker | The flow mail changes something outside of this channel.",
    ],
    [
      "of a flow that leaves changes to others",
      { tool: { effect: "side_effect", acts: false }, skill: { kind: "flow" } },
      "runs",
    ],
    ["of a server", { tool: server() }, `asker | ${fromServer}`],
    [
      "of a server's other tool",
      { tool: server({ tool: "other" }) },
      "asker | other may change something at the server hub, and no operator has trusted it.",
    ],

    ["in a private turn", { tool: { effect: "side_effect" }, private: true }, "runs"],
    [
      "that shares, in a private turn",
      { tool: { effect: "side_effect", shares: true }, private: true },
      `asker | each time | ${sharing}`,
    ],
    ["that shares, in any other turn", { tool: { effect: "side_effect", shares: true } }, "runs"],
    [
      "of code from elsewhere, in a private turn",
      { tool: { effect: "read_only" }, skill: { origin: installed, kind: "document" }, private: true },
      `asker | each time | ${sharing}`,
    ],
    [
      "of a server, in a private turn",
      { tool: server(), private: true },
      `asker | each time | ${fromServer} ${sharing}`,
    ],
    [
      "that reads at a server, in a private turn",
      { tool: { ...server({ configured: { effect: "read_only" } }), effect: "read_only" }, private: true },
      "runs",
    ],

    [
      "to an address that nobody named",
      { tool: { addresses: () => ["https://evil.example/a"] }, untrusted: true },
      "asker | evil.example/a | The address at evil.example was not named by anybody here, nor by a search. An address can carry data out of this conversation.",
    ],
  ])("a call %s: %j", async (_what, given, becomes) => {
    const found = await decide(given);
    expect(brief(found).replace(" | each time | The address", " | The address")).toBe(becomes);
  });

  it.each<[string, Case, string]>([
    ["a manager always allowed it", { standing: [{}] }, "always"],
    ["a manager refused it for good", { standing: [{ verdict: "never" }] }, "never"],
    [
      "a manager refused it, and the asker wrote it",
      { standing: [{ verdict: "never" }], byPerson: true },
      "runs",
    ],
    [
      "a manager always allowed what needs an operator",
      { skill: { risk: "high" }, standing: [{}] },
      "operator",
    ],
    [
      "it was allowed for one trigger, and a schedule began the turn",
      { standing: [{ within: "s1" }], cause: { kind: "schedule", id: "s2" } },
      "asker",
    ],
    [
      "it was allowed, and a trigger began the turn",
      { standing: [{}], cause: { kind: "trigger", id: "s1" } },
      "asker",
    ],
    [
      "it was allowed for the trigger that began the turn",
      { standing: [{ within: "s1" }], cause: { kind: "trigger", id: "s1" } },
      "always",
    ],
    ["it was allowed for another", { standing: [{ only_for: "ada" }] }, "asker"],
    [
      "it was allowed, and a stranger's text was read since",
      { standing: [{}], untrusted: true, card: to, input: { ...to, text: "other words" } },
      "asker",
    ],
    [
      "it was allowed with this text, and a stranger's text was read since",
      { standing: [{}], untrusted: true },
      "always",
    ],
    [
      "it was allowed, and the turn is private",
      { tool: { ...sends, shares: true }, standing: [{}], private: true },
      "asker",
    ],
  ])("a call with a standing decision, when %s: %j", async (_what, given, becomes) => {
    expect(brief(await decide(given)).split(" | ")[0]).toBe(becomes);
  });

  it("a call to a server tool that an operator trusts in its current form runs", async () => {
    const { scope } = callScope({ namespace });
    const skill = testSkill("mail", [{ name: "send", ...server() }]);
    const trust = { tools: [{ tool: "send", definition: "d1" }], by: "olga", at: 1 };
    await writeTrust(scope.ports.store, "hub", trust);
    expect(await decisionFor(scope, call, skill.tools[0] as Tool, to)).toBeUndefined();
    await writeTrust(scope.ports.store, "hub", { ...trust, tools: [{ tool: "send", definition: "d0" }] });
    expect(brief(await decisionFor(scope, call, skill.tools[0] as Tool, to))).toContain(fromServer);
  });

  it("a call that runs another skill's code is judged as that skill", async () => {
    const other = testSkill("other", [], { risk: "high" });
    const mail = testSkill("mail", [{ name: "send", effect: "side_effect", runsCodeOf: () => "other" }]);
    const { scope } = callScope({ namespace, skills: [mail, other] });
    expect(brief(await decisionFor(scope, call, mail.tools[0] as Tool, to))).toContain(
      "The skill other is marked",
    );
  });

  it("a call of the bot's own tool is described by its name", async () => {
    const own = { ...(testSkill("x", [{ name: "handoff", ...sends }]).tools[0] as Tool), skill_id: "" };
    const { scope } = callScope({ namespace, skills: [testSkill("x", [], { id: "", risk: "high" })] });
    expect(brief(await decisionFor(scope, call, own, to))).toBe(
      "asker | each time | handoff asks for this each time.",
    );
  });
});

describe("a call in a turn that a schedule began", () => {
  const grant = { tool: "send", skill_id: "mail", definition: "hash of mail" };
  const planned = (more: object = {}, granted: object[] = [grant]): Case => ({
    text: "Write to ann@example.com",
    cause: { kind: "schedule", id: "s1" },
    ports: { schedules: { granted: async (id: string) => (id === "s1" ? granted : []) } as never },
    ...more,
  });
  it.each<[string, Case, string]>([
    ["runs where its maker agreed to the tool and the text names the place", planned(), "runs"],
    ["asks where the text names another place", planned({ text: "Write to ben@example.com" }), "asker"],
    ["asks where the tool is another", planned({}, [{ ...grant, tool: "drop" }]), "asker"],
    ["asks where the skill is another", planned({}, [{ ...grant, skill_id: "mail2" }]), "asker"],
    ["asks where the tool has changed", planned({}, [{ ...grant, definition: "old" }]), "asker"],
    ["asks where its maker agreed to nothing", planned({}, []), "asker"],
    ["asks where there are no schedules", planned({ ports: {} }), "asker"],
    [
      "runs where one of several agreements is about it",
      planned({}, [{ ...grant, tool: "drop" }, grant]),
      "runs",
    ],
    [
      "asks a manager where its maker may not decide",
      planned({ tool: { ...sends, approval: () => "manager" } }),
      "manager",
    ],
    ["asks where a trigger began the turn", planned({ cause: { kind: "trigger", id: "s1" } }), "asker"],
    ["asks where another schedule did", planned({ cause: { kind: "schedule", id: "s2" } }), "asker"],
    [
      "asks where it shares what was read for the asker",
      planned({ private: true, tool: { ...sends, shares: true } }),
      "asker",
    ],
  ])("a call in a scheduled turn %s: %j", async (_what, given, becomes) => {
    expect(brief(await decide(given)).split(" | ")[0]).toBe(becomes);
  });
});

it.each([
  ["mcp", "manager", "slack:T1:dm-U1", "operator"],
  ["flow", "manager", "slack:T1:dm-U1", "operator"],
  ["document", "manager", "slack:T1:dm-U1", "asker"],
  ["mcp", "manager", namespace, "manager"],
  ["document", "asker", namespace, "asker"],
  ["document", "operator", "slack:T1:dm-U1", "operator"],
] as const)(
  "a request of a running %s skill for the %s in %s is decided by the %s",
  (kind, approver, where, decides) => {
    const { scope } = callScope({ namespace: where, skills: [testSkill("mail", [], { kind })] });
    expect(approverWithin(scope, "mail", approver)).toBe(decides);
    expect(approverWithin(scope, "gone", "asker")).toBe("asker");
  },
);
