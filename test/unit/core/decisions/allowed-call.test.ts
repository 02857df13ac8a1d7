import { describe, expect, it } from "vitest";
import { isPlanned, isStillAllowed } from "../../../../src/core/decisions/standing-decisions.ts";
import { type ReadArguments, readArguments } from "../../../../src/core/values/call-arguments.ts";
import { bindCall, leadsNowhere, printsOf } from "../../../../src/core/values/call-binding.ts";
import type { Trust } from "../../../../src/core/values/inbound.ts";
import type { JsonObject } from "../../../../src/core/values/json.ts";
import { callScope, call as request } from "../../../support/fakes/call-scope.ts";
import {
  asEntities,
  bareAddress,
  fullAddress,
  inSentence,
  machineAddress,
  percentEncoded,
} from "../../../support/families/addresses.ts";
import { changed, exceptions, inOrder, oneOf } from "../../../support/families/family.ts";

type Arguments = Partial<ReadArguments>;
const bound = ({ bound: own = {}, free = {} }: Arguments) => {
  const args = { bound: own, free };
  return { request, skill_id: "mail", args, nowhere: leadsNowhere(args, { properties: choices }) };
};
/** The arguments of the tool whose schema has choices. */
const choices = {
  to: { type: "string" },
  mood: { enum: ["good", "bad"] },
  form: { anyOf: [{ properties: { of: { oneOf: [{ const: "html" }, { type: "null" }] } } }] },
};
const bindingOf = async (input: JsonObject) => {
  const names = { skill_id: "mail", tool: "send", definition: "d1" };
  const binding = await bindCall(names, input, {
    args: readArguments(input),
    nowhere: false,
  });
  if (binding === undefined) throw new Error("nothing was bound");
  return binding;
};
const read = { untrusted: true };
const address = oneOf(
  fullAddress,
  bareAddress,
  changed(machineAddress, ({ text }) => text),
);
/** What a manipulated model would have a text carry. */
const manipulated = oneOf(
  address,
  inSentence(oneOf(address, asEntities(address), percentEncoded(address))),
  inOrder("hello ", oneOf("@eve", "<!channel>", "<b>hi</b>", "@everyone", "hi\r\nBcc: eve@evil.test")),
);

describe("what was allowed for good", () => {
  const to = { to: "ann@example.com" };
  /** The card of "always here" said this. */
  const card = { text: "hello" };
  it.each<[string, { untrusted?: boolean; text?: string; trust?: Trust }, JsonObject, JsonObject, boolean]>([
    [
      "runs while nothing from strangers was read, wherever it leads",
      {},
      {},
      { text: "https://evil.example" },
      true,
    ],
    ["runs with the text of the card", read, to, card, true],
    ["runs with an empty text beside that of the card", read, to, { ...card, note: "" }, true],
    ["does not run with another text", read, to, { text: "hello!" }, false],
    ["does not run with another subject", read, to, { ...card, subject: "Payroll" }, false],
    [
      "runs with words of the person",
      { ...read, text: "Tell her “I come at noon.”" },
      to,
      { text: "I come  at noon" },
      true,
    ],
    [
      "does not run with part of a word of the person",
      { ...read, text: "It is unpaid" },
      to,
      { text: "paid" },
      false,
    ],
    [
      "does not run with words of the person in another order",
      { ...read, text: "Pay Ann, not Eve" },
      to,
      { text: "Pay Eve, not Ann" },
      false,
    ],
    [
      "does not run with words of a guest",
      { ...read, text: "I come", trust: "guest" },
      to,
      { text: "I come" },
      false,
    ],
    ["does not run where the card says of no place", read, {}, card, false],
    ["does not run where all it says are flags and empty lists", read, { now: true, list: [] }, card, false],
    ["does not run where all it says are numbers", read, { amount: 7, of: [1, 2] }, card, false],
    ["does not run where all it says is a choice", read, { mood: "good" }, card, false],
    ["does not run where all it says is a choice deep inside", read, { form: { of: "html" } }, card, false],
    [
      "does not run where all it says are numbers as texts",
      read,
      { level: "1", at: "2026-11-29" },
      card,
      false,
    ],
    ["does not run where all it says are flags as texts", read, { now: "true", to: " " }, card, false],
    ["runs where a place is a number as a text", read, { channel_id: "1234567" }, card, true],
    ["runs where a list has a place", read, { cc: [["ann"]] }, card, true],
    ["runs without free text, whatever the card says", read, { now: true }, {}, true],
  ])("an always-allowed call %s (%j %j %j) [always-3]", async (_what, options, values, texts, allowed) => {
    const given = { ...values, ...texts };
    const decided = { id: 1, verdict: "always", approver: "asker", by: "ben", name: "Ben", at: 0 } as const;
    const binding = { ...(await bindingOf({ ...values, ...card })), seen: await printsOf(card) };
    const { scope } = callScope(options);
    const { bound: own, free } = readArguments(given);
    const call = bound({ bound: own, free });
    expect(await isStillAllowed(scope, call, { ...decided, binding })).toBe(allowed);
  });

  it("an always-allowed call does not run with any other address, mark or mention in its text", async () => {
    const decided = { id: 1, verdict: "always", approver: "asker", by: "ben", name: "Ben", at: 0 } as const;
    const binding = { ...(await bindingOf({ ...to, ...card })), seen: await printsOf(card) };
    const { scope } = callScope({ untrusted: true, text: "Tell her “hello”, and hello evil.test too" });
    const asks = async (text: string) =>
      !(await isStillAllowed(scope, bound({ bound: to, free: { text } }), { ...decided, binding }));
    expect(await exceptions(manipulated, asks)).toEqual([]);
  });
});

describe("the plan of a schedule", () => {
  it.each<[string, Arguments, boolean]>([
    ['Write to "Release notes" on Monday', { bound: { to: "Release notes" } }, true],
    ["Write to Release notes on Monday", { bound: { to: "Release notes" } }, false],
    ["Post to #general, please", { bound: { channel: "general" } }, true],
    ["Post to general, please", { bound: { channel: "general" } }, false],
    ["Tell @ann", { bound: { to: "ann" } }, true],
    ["Tell #@ann", { bound: { to: "ann" } }, false],
    ["Tell ( @ann", { bound: { to: "ann" } }, true],
    ["Tell bob@ann", { bound: { to: "ann" } }, false],
    ["Tell ANN.", { bound: { to: "ANN" } }, true],
    ["Tell A.", { bound: { to: "A" } }, false],
    ["Tell ANN", { bound: { to: "Ann" } }, false],
    ["Write to Ann@Example.com.", { bound: { to: "ann@example.com" } }, true],
    ["Write to ann@example.com.evil", { bound: { to: "ann@example.com" } }, false],
    ["Write to joann@example.com", { bound: { to: "ann@example.com" } }, false],
    ["Write to ANN@EXAMPLE.COM", { bound: { to: "Ann@example.com" } }, true],
    ["Pay 50 (no. 7) to nr-7", { bound: { amount: 50, no: 7, to: " nr-7 " } }, true],
    ["Pay 500", { bound: { amount: 50 } }, false],
    ["Pay 150", { bound: { amount: 50 } }, false],
    ["Pay 500 or 50", { bound: { amount: 50 } }, true],
    ["Pay 1.5", { bound: { amount: 5 } }, false],
    ["Pay 5.", { bound: { amount: 5 } }, true],
    ["Pay 5. Then go", { bound: { amount: 5 } }, true],
    ["Pay 5.5", { bound: { amount: 5 } }, false],
    ["See „nr-7“; then [nr-8]: <nr-9>!", { bound: { a: "nr-7", b: "nr-8", c: "nr-9" } }, true],
    ["See “notes” and ‘more’", { bound: { a: "notes", b: "more" } }, true],
    ["See “notes or more’", { bound: { a: "notes" } }, false],
    ["See notes” today", { bound: { a: "notes" } }, false],
    ["See a/b", { bound: { a: "a/b" } }, true],
    ["Look there", { bound: { a: "", b: " " } }, true],
    [
      "Post daily",
      { bound: { at: "2026-01-02", on: "2026-01-02T10:00:00Z", by: "2026-01-02 10:00+02:00" } },
      true,
    ],
    ["Post daily", { bound: { at: "2026-01-02T10:00:00Z or so" } }, false],
    ["Post daily", { bound: { at: "on 2026-01-02" } }, false],
    ["Post daily", { bound: { at: "2026-1-2" } }, false],
    ["Post daily", { bound: { silent: true, thread: null } }, true],
    ["Post to #general", { bound: { channels: ["general"], more: { a: { b: "general" } } } }, true],
    ["Post to #general", { bound: { channels: ["general", "other"] } }, false],
    ["Post to #general", { bound: { channel: "general", other: "x" } }, false],
    ["Post daily", { free: { text: "https://evil.example" } }, true],
  ])("the plan of a schedule %j allows %j: %s", (text, args, allowed) => {
    expect(isPlanned(callScope({ text }).scope, bound(args))).toBe(allowed);
  });

  it.each<[string, Arguments, boolean]>([
    ["a place and a text that it names", { bound: { to: "general" }, free: { text: "good morning" } }, true],
    [
      "a place that it names, with plain words",
      { bound: { to: "general" }, free: { text: "Hi: 1.5 % (up)." } },
      true,
    ],
    ["a text without a place", { free: { text: "hi" } }, false],
    ["a yes that it does not name", { bound: { to: "general", public: true } }, false],
    ["nothing that it does not name", { bound: { to: "general", thread: null } }, false],
    ["a time", { bound: { to: "general", at: "2026-01-02" } }, true],
  ])("after reading a stranger's text, a plan allows %s: %j is %s", (_what, args, allowed) => {
    expect(
      isPlanned(callScope({ text: "Post “Good morning!” to #general", ...read }).scope, bound(args)),
    ).toBe(allowed);
  });

  it("after reading a stranger's text, a plan allows no address, mark or mention", async () => {
    const { scope } = callScope({ text: "Post “Good morning!” to #general", ...read });
    const asks = (text: string) => !isPlanned(scope, bound({ bound: { to: "general" }, free: { text } }));
    expect(await exceptions(manipulated, asks)).toEqual([]);
  });
});
