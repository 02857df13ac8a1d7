import { describe, expect, it } from "vitest";
import { createSeenReader } from "../../../../src/core/log/transcript-steps.ts";
import type { TurnEventBody } from "../../../../src/core/log/turn-event.ts";
import {
  createSeenAddresses,
  type Seen,
  see,
  seenInMessages,
  summaryOf,
} from "../../../../src/core/values/address.ts";
import type { Trust } from "../../../../src/core/values/inbound.ts";
import type { HeardMessage, ReadFile } from "../../../../src/core/values/message.ts";

function read(...events: TurnEventBody[]): Seen[] {
  const reader = createSeenReader();
  return events.flatMap((event) => reader(event) ?? []);
}

const inbound = (text: string, trust: Trust = "member", name = "Ann"): TurnEventBody => ({
  type: "inbound",
  inbound: {
    key: "k",
    namespace: "test:team:general",
    thread: "t",
    author: { id: "ann", name, trust },
    kind: "message",
    text,
  },
});

const around = (thread: Partial<HeardMessage>[], files: Partial<ReadFile>[] = []): TurnEventBody => ({
  type: "context_read",
  thread: thread.map((each) => ({ by: "Ben", author: "ben", text: "", at: 0, ...each })),
  files: files.map((each) => ({ name: "a.txt", media_type: "text/plain", bytes: 1, ...each })),
});

const call = (input: string, output: string, finds?: "results" | "links" | "mentions"): TurnEventBody[] => [
  { type: "tool_started", call_id: "c", tool: "t", title: "", skill_id: "s", input: { text: input } },
  {
    type: "tool_finished",
    call_id: "c",
    tool: "t",
    status: "ok",
    output: { text: output },
    duration_ms: 1,
    finds,
  },
];

describe("what events show", () => {
  it.each<[what: string, events: TurnEventBody[], expected: Seen[]]>([
    ["a member's message names", [inbound("see a.test/x")], [{ named: ["a.test/x"] }]],
    ["a guest's message is a stranger's too", [inbound("hello", "guest")], [{ named: [], untrusted: true }]],
    ["what somebody calls themselves shows nothing", [inbound("hi", "member", "Ann, ask a.test/?d=")], []],
    [
      "a member's message of the thread names",
      [around([{ text: "see a.test/x" }])],
      [{ named: ["a.test/x"], linked: [] }],
    ],
    ...([{ bot: true }, { outside: true }] as const).map((who): [string, TurnEventBody[], Seen[]] => [
      `that of ${JSON.stringify(who)} only links`,
      [around([{ text: "see a.test/x", ...who }])],
      [{ named: [], linked: ["a.test/x"], untrusted: true }],
    ]),
    [
      "a file only links",
      [around([], [{ text: "see a.test/x" }])],
      [{ named: [], linked: ["a.test/x"], untrusted: true }],
    ],
    ["a search finds", call("words", "https://a.test/x", "results"), [{ linked: ["a.test/x"] }]],
    ["the text of a search's result finds nothing", call("words", "see https://a.test/x", "results"), []],
    ["a page links", call("https://b.test", "https://a.test/x", "links"), [{ linked: ["a.test/x"] }]],
    ["a page links to its own host", call("a.test", "https://a.test/x", "links"), [{ linked: ["a.test/x"] }]],
    ["what came in comes back as nothing", call("a.test/x", "https://a.test/x", "results"), []],
    ["a server mentions", call("words", "https://a.test/x", "mentions"), [{ linked: ["a.test/x"] }]],
    [
      "a server that echoes a host mentions nothing",
      call("a.test and d=1", "https://a.test/?d=1", "mentions"),
      [],
    ],
    ["other results show nothing", call("words", "https://a.test/x"), []],
  ])("events show addresses: %s", (_what, events, expected) => {
    expect(read(...events)).toEqual(expected);
  });

  it("a written answer names addresses, but a choice of the model's does not", () => {
    const asked = (choices: string[]): TurnEventBody => ({
      type: "question_asked",
      question_id: "q",
      text: "Which page?",
      choices,
      expires_at: 1,
    });
    const answer: TurnEventBody = {
      type: "question_answered",
      question_id: "q",
      text: "a.test/x",
      by: "ann",
    };
    expect(read(asked([]), answer)).toEqual([{ named: ["a.test/x"] }]);
    expect(read(asked(["a.test/x"]), answer)).toEqual([]);
  });

  it("an address that somebody approved is named, but not a refused one", () => {
    const asked: TurnEventBody = {
      type: "approval_requested",
      approval_id: "p",
      call_id: "c",
      tool: "t",
      skill_id: "s",
      input: {},
      addresses: ["a.test/x"],
      approver: "asker",
      expires_at: 1,
    };
    const decided = (approved: boolean): TurnEventBody => ({
      type: "approval_decided",
      approval_id: "p",
      approved,
      by: "ann",
    });
    expect(read(asked, decided(true))).toEqual([{ named: ["a.test/x"] }]);
    expect(read(asked, decided(false))).toEqual([]);
  });
});

it("a new transcript takes over the latest addresses, and that strangers spoke", () => {
  const all = createSeenAddresses();
  for (let at = 0; at < 1_000; at += 1) see(all, { named: [`a.test/${at}`], linked: [`b.test/${at}`] });
  see(all, { untrusted: true });
  const carried = summaryOf([all], seenInMessages([{ role: "user", text: "", said: "see c.test/x" }]));
  expect(carried.named).toHaveLength(300);
  expect(carried.named?.at(-1)).toBe("a.test/999");
  expect(carried.linked).toHaveLength(300);
  expect(carried.untrusted).toBe(true);
  const next = createSeenAddresses();
  see(next, carried);
  expect(next.hosts).toEqual(new Set(["a.test"]));
  expect(
    summaryOf([createSeenAddresses()], seenInMessages([{ role: "user", text: "", said: "see c.test/x" }])),
  ).toEqual({
    named: ["c.test/x"],
    linked: [],
  });
});
