import { describe, expect, it } from "vitest";
import { type CallFacts, type CallOrigin, decideCall } from "../../../../src/core/decisions/decide-call.ts";
import type { ServerTool } from "../../../../src/core/skill/tool.ts";
import type { ApprovalNeed } from "../../../../src/core/values/inbound.ts";

const shipped: CallOrigin = { kind: "shipped" };
const sealed: CallOrigin = { kind: "code", reach: undefined };
const reaching: CallOrigin = { kind: "code", reach: "api.example.com" };
const flow: CallOrigin = { kind: "flow", acts: true };
const readingFlow: CallOrigin = { kind: "flow", acts: false };

type ServerFacts = ServerTool["hints"] & ServerTool["configured"] & { own?: false; trusted?: true };

function server({ own, trusted, effect, approver, ...hints }: ServerFacts = {}): CallOrigin {
  const configured = { effect, approver };
  const tool = { server: "mail", tool: "send", definition: "d1", own: own ?? true, hints, configured };
  return { kind: "server", tool, trusted: trusted ?? false };
}

const facts = (origin: CallOrigin, more: Partial<CallFacts> = {}): CallFacts => ({
  tool: "mail__send",
  skill_id: "mail",
  origin,
  effect: "side_effect",
  risk: "low",
  by_person: false,
  trust: "member",
  direct: false,
  ...more,
});

const own = (approver: "asker" | "manager" | "operator") => ({ own: { approver, reason: "It says so." } });
const asked = { by_person: true };
const direct = { direct: true };
const manager = { trust: "manager" } as const;
const operator = { trust: "operator" } as const;
const guest = { trust: "guest" } as const;
const high = { risk: "high" } as const;
const triggered = { triggered: true };
const reads = { effect: "read_only" } as const;

const rows: [what: string, origin: CallOrigin, more: Partial<CallFacts>, approver: string | undefined][] = [
  ["a shipped skill", shipped, {}, undefined],
  ["a shipped skill that asks", shipped, own("asker"), "asker"],
  ["a shipped skill that asks, ordered by the person", shipped, { ...own("asker"), ...asked }, undefined],
  ["a shipped skill of high risk", shipped, high, "operator"],
  ["a shipped skill of high risk that only reads", shipped, { ...high, ...reads }, undefined],
  ["a shipped skill of high risk that asks for less", shipped, { ...high, ...own("asker") }, "operator"],
  ["a shipped skill of medium risk", shipped, { risk: "medium" }, undefined],
  [
    "a manager's tool of a shipped skill in a direct message",
    shipped,
    { ...own("manager"), ...direct },
    "asker",
  ],
  ["an operator's tool in a direct message", shipped, { ...own("operator"), ...direct }, "operator"],

  ["installed code without network", sealed, {}, undefined],
  ["installed code of high risk without network", sealed, high, "operator"],
  ["installed code with network", reaching, {}, "asker"],
  ["installed code with network that only reads", reaching, reads, undefined],
  ["installed code with network, ordered by the person", reaching, asked, undefined],
  [
    "installed code that asks for a manager in a direct message",
    sealed,
    { ...own("manager"), ...direct },
    "asker",
  ],
  ["the same for a guest", sealed, { ...own("manager"), ...direct, ...guest }, "operator"],

  ["a flow that changes something", flow, {}, "asker"],
  ["a flow that changes something, ordered by the person", flow, asked, undefined],
  ["a flow that reads, or leaves the changes to other tools", readingFlow, {}, undefined],
  ["a flow of high risk, ordered by a manager", flow, { ...high, ...asked, ...manager }, "operator"],
  [
    "a flow that asks for a manager in a direct message",
    readingFlow,
    { ...own("manager"), ...direct },
    "operator",
  ],

  ["an own server without hints", server(), {}, "asker"],
  ["an own server that says it does not destroy", server({ destructive: false }), {}, "asker"],
  ["an own server that says it does not only read", server({ read_only: false }), {}, "asker"],
  ["an own server that says it only reads", server({ read_only: true }), {}, undefined],
  ["an own server that says it destroys", server({ destructive: true }), {}, "manager"],
  ["an own server with both hints", server({ read_only: true, destructive: true }), {}, "manager"],
  [
    "an own server that says it destroys, in a direct message",
    server({ destructive: true }),
    direct,
    "operator",
  ],
  [
    "the same for a manager of the workspace",
    server({ destructive: true }),
    { ...direct, ...manager },
    "manager",
  ],
  ["an own server without hints in a direct message", server(), direct, "asker"],
  ["an own server without hints for a guest", server(), guest, "manager"],
  ["an own server without hints, ordered by the person", server(), asked, undefined],
  ["an own server that destroys, ordered by a member", server({ destructive: true }), asked, "manager"],
  [
    "an own server that destroys, ordered by a manager",
    server({ destructive: true }),
    { ...asked, ...manager },
    undefined,
  ],
  [
    "an own server that destroys, called by the model for an operator",
    server({ destructive: true }),
    operator,
    "manager",
  ],

  ["a package's server that says it only reads", server({ own: false, read_only: true }), {}, "asker"],
  ["a package's server without hints", server({ own: false }), {}, "asker"],
  ["a package's server that says it destroys", server({ own: false, destructive: true }), {}, "manager"],
  ["a package's server that is trusted", server({ own: false, trusted: true }), {}, undefined],

  ["a trusted tool without hints", server({ trusted: true }), {}, undefined],
  ["a trusted tool that says it destroys", server({ trusted: true, destructive: true }), {}, undefined],
  ["a trusted tool of a server of high risk", server({ trusted: true }), high, "operator"],
  [
    "a trusted tool that the configuration asks about",
    server({ trusted: true, approver: "asker" }),
    {},
    "asker",
  ],

  ["configured to ask nobody", server({ destructive: true, approver: "none" }), {}, undefined],
  ["configured to ask nobody at high risk", server({ approver: "none" }), high, "operator"],
  [
    "configured to ask a manager, though it only reads",
    server({ read_only: true, approver: "manager" }),
    reads,
    "manager",
  ],
  ["configured to ask an operator", server({ approver: "operator" }), {}, "operator"],
  ["configured as reading", server({ effect: "read_only" }), {}, undefined],
  [
    "configured as reading, though it says it destroys",
    server({ effect: "read_only", destructive: true }),
    {},
    undefined,
  ],
  [
    "configured as changing, though it says it only reads",
    server({ effect: "side_effect", read_only: true }),
    {},
    "asker",
  ],
  ["configured as idempotent", server({ effect: "idempotent" }), {}, "asker"],
  ["trusted, where a trigger began the turn", server({ trusted: true }), triggered, "asker"],
  ["unasked by configuration, where a trigger did", server({ approver: "none" }), triggered, "asker"],
  ["reading by configuration, where a trigger did", server({ effect: "read_only" }), triggered, undefined],
  ["reading by its own word, where a trigger did", server({ read_only: true }), triggered, undefined],
  ["destroying, where a trigger did", server({ destructive: true, trusted: true }), triggered, "manager"],
  ["shipped, where a trigger did", shipped, triggered, undefined],
];

describe("who has to approve", () => {
  it.each(rows)("an approver is found: %s [asks-1]", (_what, origin, more, approver) => {
    expect(decideCall(facts(origin, more))?.approver).toBe(approver);
  });
});

describe("several needs", () => {
  const leaking: ApprovalNeed = { approver: "asker", reason: "It would send data to evil.example." };

  it("several needs ask the strictest approver once, with all reasons [asks-2]", () => {
    expect(decideCall(facts(server({ destructive: true }), { more: [leaking] }))).toEqual({
      approver: "manager",
      reason:
        "The server mail says that send can delete or overwrite something. It would send data to evil.example.",
    });
  });

  it("several needs leave only those that the person's own order does not answer", () => {
    const risky = facts(server({ read_only: true }), { ...high, ...asked, more: [leaking] });
    expect(decideCall(risky)).toEqual({
      approver: "operator",
      reason: "The skill mail is marked as high-risk.",
    });
  });

  it("several needs ask even if the tool itself would not", () => {
    expect(decideCall(facts(shipped, { ...reads, more: [leaking] }))?.approver).toBe("asker");
  });
});

it("a decision gives its reason in a sentence for people", () => {
  const reasons = [reaching, flow, server(), server({ approver: "manager" })].map(
    (origin) => decideCall(facts(origin))?.reason,
  );
  expect(reasons).toEqual([
    "The code of the skill mail did not ship with the bot, and it can reach api.example.com.",
    "The flow mail changes something outside of this channel.",
    "send may change something at the server mail, and no operator has trusted it.",
    "The bot's configuration requires approval for it at the server mail.",
  ]);
});
