import type { TurnEventBody } from "../../../src/core/log/turn-event.ts";
import { TurnState } from "../../../src/core/log/turn-state.ts";
import type { Turn, TurnPorts } from "../../../src/core/scope/turn.ts";
import type { CallRequest, TurnScope } from "../../../src/core/scope/turn-scope.ts";
import type { Skill } from "../../../src/core/skill/skill.ts";
import { createSeenAddresses } from "../../../src/core/values/address.ts";
import type { Cause, Trust } from "../../../src/core/values/inbound.ts";
import { readAtOpening } from "../../../src/core/values/untrusted.ts";
import { siteOf } from "../../../src/net/site-of.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";

interface CallScopeOptions {
  trust?: Trust;
  namespace?: string;
  text?: string;
  cause?: Partial<Cause> & Pick<Cause, "kind">;
  /** Whether the thread contains a stranger's text. */
  untrusted?: boolean;
  skills?: readonly Skill[];
  ports?: Partial<TurnPorts>;
}

export const call: CallRequest = { call: { id: "c1", name: "send", arguments: "{}" }, depth: 0 };

/** A running turn of Ben, as far as decisions about a call look at it, and the events it hands out. */
export function callScope(options: CallScopeOptions = {}) {
  const { trust = "member", namespace = "slack:T1:C1", text = "go", cause, skills = [], ports } = options;
  const catalogue = { skills: new Map(skills.map((skill) => [skill.id, skill])) };
  const state = new TurnState("t1", () => 0);
  const events: TurnEventBody[] = [];
  const seen = { thread: createSeenAddresses(), turn: createSeenAddresses() };
  seen.thread.untrusted = options.untrusted ?? false;
  const turn = {
    turn_id: "t1",
    text,
    cause,
    catalogue,
    deadline: 90_000,
    limits: { question_ms: 60_000, approval_ms: 60_000 },
    author: { id: "ben", name: "Ben", trust },
    place: { namespace, thread: "t" },
    where: { place: "general" },
    mentions: [{ id: "U7", name: "Mia" }],
    link: { signals: async () => [] },
  } as unknown as Turn;
  const scope = {
    turn,
    state,
    conversation: state.conversation,
    seen,
    transcript: { read: readAtOpening({ messages: [], active: [] }, []), told: { skills: {} } },
    offer: { all: new Map(skills.map((skill) => [skill.id, { skill }])) },
    ports: {
      store: createMemoryKeyValue(),
      openHosts: [],
      siteOf,
      approvals: {},
      grants: { hostsOf: async () => [] },
      clock: { now: () => 1_000 },
      redact: (value: unknown) => value,
      ...ports,
    },
    async emit(event: TurnEventBody) {
      events.push(event);
      state.apply(event, 1_000);
    },
  } as unknown as TurnScope;
  return { scope, events };
}
