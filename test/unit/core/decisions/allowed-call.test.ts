import { describe, expect, it } from "vitest";
import { isPlanned, isStillAllowed } from "../../../../src/core/decisions/standing-decisions.ts";
import type { ReadArguments } from "../../../../src/core/values/call-arguments.ts";
import type { Json } from "../../../../src/core/values/json.ts";
import { callScope, call as request } from "../../../support/fakes/call-scope.ts";

type Arguments = Partial<ReadArguments>;
const bound = ({ bound: own = {}, free = {} }: Arguments) => ({
  request,
  skill_id: "mail",
  args: { bound: own, free },
});
const binding = (values: Record<string, Json> = {}) => ({
  skill_id: "mail",
  tool: "send",
  definition: "d1",
  values,
});
const read = { untrusted: true };

describe("what was allowed for good", () => {
  const to = { to: "ann@example.com" };
  it.each<[string, { untrusted?: boolean }, Record<string, Json>, Record<string, string>, boolean]>([
    [
      "runs while nothing from strangers was read, wherever it leads",
      {},
      {},
      { text: "https://evil.example" },
      true,
    ],
    ["runs to a place that was named on the card", read, to, { text: "hello" }, true],
    ["does not run where the card says of no place", read, {}, { text: "hello" }, false],
    ["does not run where all it says leads nowhere", read, { now: true, list: [] }, { text: "hello" }, false],
    ["runs without free text, whatever the card says", read, {}, {}, true],
    [
      "does not run with an address that nobody named",
      read,
      to,
      { text: "see https://evil.example/a" },
      false,
    ],
    ["runs with an address that a person named", read, to, { text: "see https://named.example/a" }, true],
    [
      "does not run where one text of several is not known",
      read,
      to,
      { subject: "hi", text: "https://evil.example" },
      false,
    ],
    [
      "may call the asker, who was mentioned and who was found",
      read,
      to,
      { text: "<@ben> <@!U7> <@&R9>" },
      true,
    ],
    ["does not call a person that nobody named", read, to, { text: "hi <@ben>, hi <@U8>" }, false],
    ["does not call a channel that nobody named", read, to, { text: "see <#C9|general>" }, false],
    ["does not call a group by its name", read, to, { text: "hello <!here>" }, false],
    ["does not call everybody", read, to, { text: "well, @everyone" }, false],
    ["does not call who is here, in any case", read, to, { text: "(@HERE)" }, false],
    [
      "may have an address of e-mail in it",
      read,
      to,
      { text: "ann@all.example, ann@here or @hereafter, _@all" },
      true,
    ],
    ["may have brackets that call nobody", read, to, { text: "a <@> b <b> @ a" }, true],
  ])("an always-allowed call %s (%j %j %j)", (_what, options, values, free, allowed) => {
    const { scope } = callScope(options);
    scope.seen.turn.named.add("named.example/a");
    scope.state.named.add("R9");
    expect(isStillAllowed(scope, bound({ free }), binding(values))).toBe(allowed);
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
    [
      "a place that it names, with a text that leads nowhere",
      { bound: { to: "general" }, free: { text: "hi" } },
      true,
    ],
    [
      "a place that it names, with an address nobody named",
      { bound: { to: "general" }, free: { text: "https://evil.example" } },
      false,
    ],
    ["a text without a place", { free: { text: "hi" } }, false],
    ["a yes that it does not name", { bound: { to: "general", public: true } }, false],
    ["nothing that it does not name", { bound: { to: "general", thread: null } }, false],
    ["a time", { bound: { to: "general", at: "2026-01-02" } }, true],
  ])("after reading a stranger's text, a plan allows %s: %j is %s", (_what, args, allowed) => {
    expect(isPlanned(callScope({ text: "Post to #general", ...read }).scope, bound(args))).toBe(allowed);
  });
});
