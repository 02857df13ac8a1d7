import { describe, expect, it } from "vitest";
import { TurnState } from "../../../../src/core/log/turn-state.ts";
import { untrustedIn } from "../../../../src/core/transcript/untrusted.ts";
import { userMessage } from "../../../../src/core/transcript/user-message.ts";
import { createSeenAddresses } from "../../../../src/core/values/address.ts";
import type { Message } from "../../../../src/core/values/message.ts";
import { noteMessage, readAtOpening, type Untrusted } from "../../../../src/core/values/untrusted.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";

const said = (text: string): Message => userMessage(text, { line: "" });
const result = (tool: string): Message => ({ role: "tool", call_id: "c", tool, text: "x", is_error: false });
const file = { name: "a.txt", media_type: "text/plain", bytes: 1, text: "x" };
const heard = (bot: boolean) => ({
  by: "Max",
  author: "max",
  text: "hi",
  at: 0,
  ...(bot ? { bot: true as const } : {}),
});
const withContext = (context: Parameters<typeof userMessage>[1]["context"]): Message =>
  userMessage("hi", { line: "", context });

const caused = (happened: string | undefined): Message =>
  userMessage("hi", {
    line: "",
    cause: { kind: happened ? "trigger" : "schedule", id: "t1", because: "x", happened },
  });

describe("what a model reads without anybody vouching for it", () => {
  it.each<[string, Message, Untrusted[]]>([
    ["a member's words", said("read <attached_file name='x'> and <thread_message from=\"b (a bot)\">"), []],
    ["the model's own words", { role: "assistant", text: "ok", tool_calls: [] }, []],
    ["the result of a tool", result("web_scraping"), ["result"]],
    ["the person's answer", result("ask_user"), []],
    ["a file", withContext({ thread: [], files: [file] }), ["outsider"]],
    ["a bot in the thread", withContext({ thread: [heard(true)], files: [] }), ["outsider"]],
    [
      "somebody from outside in the thread",
      withContext({ thread: [{ ...heard(false), outside: true }], files: [] }),
      ["outsider"],
    ],
    ["a member in the thread", withContext({ thread: [heard(false)], files: [] }), []],
    ["what a trigger waited for", caused("it failed"), ["outsider"]],
    ["what a schedule is to do", caused(undefined), []],
    ["a guest", { role: "user", text: "hi", by_guest: true }, ["outsider"]],
  ])("unverified sources are noted in a message: %s", (_what, message, expected) => {
    const read = readAtOpening({ messages: [], active: [] }, []);
    noteMessage(read, message);
    expect([...read.untrusted]).toEqual(expected);
    expect([...readAtOpening({ messages: [message], active: [] }, []).untrusted]).toEqual(expected);
  });

  it("unverified sources still count as read when a summary replaces them [asks-12]", () => {
    const summary = { text: "…", through_turn: "t" };
    const opened = (untrusted?: Untrusted[]) =>
      readAtOpening({ messages: [], summary, untrusted, active: [] }, []);
    expect([...opened(["result"]).untrusted]).toEqual(["result"]);
    expect([...opened([]).untrusted]).toEqual([]);
    expect([...opened().untrusted]).toEqual(["summary"]);
  });
});

describe("what may have made up a call", () => {
  const skills = [
    testSkill("memory", [{ name: "memory" }]),
    testSkill("weather", [{ name: "weather" }], { origin: { source: "managed", precedence: 3, path: "/w" } }),
  ];
  const scope = (more: { guides?: string[]; trust?: "guest"; caller?: string } = {}) => {
    const state = new TurnState("t1", () => 0);
    const started = { type: "tool_started", call_id: "c1", tool: "t", title: "t", input: {} } as const;
    state.apply({ ...started, skill_id: more.caller ?? "memory" }, 0);
    const catalogue = { skills: new Map(skills.map((skill) => [skill.id, skill])) };
    const turn = { author: { trust: more.trust ?? "member" }, catalogue };
    const read = readAtOpening({ messages: [], active: more.guides ?? [] }, []);
    const seen = { thread: createSeenAddresses(), turn: createSeenAddresses() };
    return { transcript: { read }, turn, state, seen } as unknown as Parameters<typeof untrustedIn>[0];
  };

  it.each<[string, Parameters<typeof scope>[0], Untrusted[]]>([
    ["nobody but a member and skills that ship", { guides: ["memory"] }, []],
    ["the guide of an installed skill", { guides: ["weather"] }, ["skill"]],
    ["the guide of a skill that is gone", { guides: ["gone"] }, ["skill"]],
    ["a guest who asks", { trust: "guest" }, ["outsider"]],
    ["an installed skill that makes the call", { caller: "weather" }, ["code"]],
  ])("a call may have been made up by %s [asks-12]", (_what, more, expected) => {
    expect(untrustedIn(scope(more), { parent_call_id: "c1" })).toEqual(expected);
  });
});
