import { describe, expect, it } from "vitest";
import {
  type Approval,
  type ApprovalAudience,
  renderApproval,
  renderClosedApproval,
  renderDirectApproval,
} from "../../../../../src/app/chat/present/render-approval.ts";

const approval: Approval = {
  type: "approval_requested",
  approval_id: "turn-1:1",
  call_id: "c1",
  tool: "send_mail",
  skill_id: "mail",
  input: { to: "all@example.com" },
  approver: "manager",
  expires_at: 60_000,
};
const ben = { id: "U1", name: "Ben" };
const audience: ApprovalAudience = { asker: ben, isTheirs: false, deciders: [] };
const rendered = (more: Partial<Approval>) => renderApproval({ ...approval, ...more }, audience, 4_000);
const card = (more: Partial<Approval>) => rendered(more).markdown;

describe("the card of an approval", () => {
  it("an approval card asks whether the tool may run, with its arguments", () => {
    expect(card({})).toMatch(
      /^\*\*May I run “send mail” of the skill “mail” with to "all@example\.com"\?\*\*/,
    );
  });

  it("an approval card with the skill's own question names the skill and still shows the input", () => {
    const text = card({ question: "Send the report to everybody?" });
    expect(text).toMatch(/^The skill \*\*mail\*\* asks: Send the report to everybody\?\n/);
    expect(text).not.toContain("May I run");
    expect(text).toContain('**to:** "all@example.com"');
    expect(text).toContain("A manager of this channel may decide.");
  });

  it("an approval card keeps a question from looking like something else", () => {
    const text = card({ question: "ok?\n\n**Approved by Ada** [here](https://evil.example)" });
    expect(text.split("\n")[0]).toBe(
      "The skill **mail** asks: ok? \\*\\*Approved by Ada\\*\\* \\[here\\](https://evil.example)",
    );
  });

  it("an approval card keeps a question from being read in another direction than it is written", () => {
    const text = card({ question: "ok\u202e?lla eteled\u2066 \u0007now", skill_id: "ma\u202eil" });
    expect(text.split("\n")[0]).toBe(
      "The skill **ma\\\\u202eil** asks: ok\\\\u202e?lla eteled\\\\u2066 \\\\u0007now",
    );
  });

  it("an approval card leaves room for the input next to a long question", () => {
    expect(card({ question: "why ".repeat(5_000) })).toContain('**to:** "all@example.com"');
  });

  it("an approval card says why it asks, and calls the person where they may decide", () => {
    const reason = "It may change [something](https://evil.example).";
    const theirs = { ...audience, isTheirs: true };
    const message = renderApproval({ ...approval, approver: "asker", reason }, theirs, 4_000);
    expect(message.markdown.split("\n")[1]).toBe("It may change \\[something\\](https://evil.example).");
    expect(message.markdown).toContain('"Ben" <@U1> may decide, or a manager of this channel.');
    expect(message.mention).toBe("U1");
    expect(rendered({}).mention).toBeUndefined();
  });

  it("an approval card offers standing decisions for calls that can be bound, and names what they bind", () => {
    const values = { to: "all@example.com" };
    const message = rendered({ binds: { skill_id: "mail", tool: "send_mail", definition: "d", values } });
    expect(message.buttons?.map(({ action }) => action)).toEqual([
      { role: "decide", approval_id: "turn-1:1", verdict: "once" },
      { role: "decide", approval_id: "turn-1:1", verdict: "refuse" },
      { role: "decide", approval_id: "turn-1:1", verdict: "always" },
      { role: "decide", approval_id: "turn-1:1", verdict: "never" },
      { role: "arguments", approval_id: "turn-1:1" },
    ]);
    expect(message.buttons?.map(({ label }) => label)).toEqual([
      "Approve once",
      "Refuse",
      "Always here",
      "Never",
      "Details",
    ]);
    expect(message.markdown).toContain(
      'allows this tool as it is now with to = "all@example.com", in this channel',
    );
    expect(rendered({}).buttons?.map(({ label }) => label)).toEqual(["Approve", "Refuse", "Details"]);
  });

  it("an approval card says on the button what stays open, and what both decisions are bound to", () => {
    const input = { iban: "DE01", amount: 1, text: "rent", data: { body: "May" } };
    const binds = { skill_id: "bank", tool: "pay", definition: "d" };
    const bound = { ...binds, values: { iban: "DE01", amount: 1 }, refuses: {} };
    const { buttons, markdown } = rendered({ input, binds: bound });
    expect(buttons?.map(({ label }) => label)).toContain("Always here, any text, data.body");
    expect(markdown).toContain('with iban = "DE01", amount = 1, any text, data.body, in this channel;');
    expect(markdown).toContain("“Never” refuses it with any arguments without asking");
    const again = "once a thread has read text that nobody here vouches for, it asks again";
    expect(markdown).toContain(`${again} for other text than this or your own;`);
    const free = rendered({ input: { text: "rent" }, binds: { ...binds, values: {}, nowhere: true } });
    expect(free.markdown).toContain(`${again};`);
  });

  it("an approval card gives the time in its reader's zone, and never in its text", () => {
    expect(rendered({}).timed).toEqual({ text: "Open until {time}.", at: 60_000 });
    expect(card({})).not.toMatch(/UTC|until/);
  });
});

const here = (id: string) => ({ id, here: true, name: id });
const away = (id: string) => ({ id, here: false, name: id });

describe("values on the card", () => {
  const value = "DE01-LANDLORD”. Everything else, iban DE99-EVE?";
  it.each<[string, Partial<Approval>]>([
    ["a value in the sentence", { input: { iban: value, amount: 1 } }],
    ["a value in the list", { input: { iban: value, note: "x".repeat(100), a: 1, b: 2, c: 3 } }],
    ["a value with quotes", { input: { iban: `${value}" and "` } }],
    ["a value on two lines", { input: { iban: `DE01"\n\nBen may decide.` } }],
    ["a value of blanks", { input: { iban: `DE01${" ".repeat(50)}Ben may decide.` } }],
    ["the name of an argument", { input: { 'iban "DE01". Everything else': 1 } }],
    ["the name of a tool", { tool: "pay” with iban “DE01", input: { iban: value } }],
  ])("%s can neither end its quotes nor read as the card's own words [asks-13]", (_, more) => {
    const [own = ""] = card(more)
      .replace(/\\([\\`*_~[\]<>|#])/g, "$1")
      .split("\n\nA manager of this channel may decide.");
    const outside = own.replace(/"(?:[^"\\]|\\.)*"/g, "…");
    expect(outside).not.toMatch(/Everything|EVE|Ben may|DE01/);
  });
});

describe("who may decide, on the card", () => {
  it("an approval card does not take the asker for whom they call themselves", () => {
    const asker = { id: "U6EVE", name: 'A manager of this channel may decide. "Ben" <@U2BEN>' };
    const shown = renderApproval(
      { ...approval, approver: "asker" },
      { asker, isTheirs: true, deciders: [] },
      4_000,
    );
    expect(shown.markdown).toMatch(
      /\n"A manager of this[^"]*…" <@U6EVE> may decide, or a manager of this channel\.$/,
    );
  });

  it.each<[string, ApprovalAudience["deciders"], string, string[] | undefined]>([
    ["nobody known", [], "A manager of this channel may decide.", undefined],
    ["one who sees it", [here("mia")], "A manager of this channel may decide: <@mia>.", ["mia"]],
    [
      "more than are called",
      ["a", "b", "c", "d", "e"].map(here),
      "may decide: <@a>, <@b>, <@c> or 2 others.",
      ["a", "b", "c"],
    ],
    [
      "one who does not see it, by label and id",
      [here("mia"), away("olga")],
      '<@mia> or "olga" <@olga>.',
      ["mia"],
    ],
    ["one without a name", [{ id: "x", here: false }], "A manager of this channel may decide.", undefined],
  ])("an approval card names who may decide: %s", (_what, deciders, text, calls) => {
    const message = renderApproval(approval, { ...audience, deciders }, 4_000);
    expect(message.markdown).toContain(text);
    expect(message.calls).toEqual(calls);
    expect(message.mention).toBeUndefined();
  });

  it("an approval card calls only the asker where they may decide themselves", () => {
    const deciders = [here("mia")];
    const message = renderApproval(
      { ...approval, approver: "operator" },
      { asker: ben, isTheirs: true, deciders },
      4_000,
    );
    expect(message.markdown).toContain('"Ben" <@U1> may decide, or another operator of the bot.');
    expect(message).toMatchObject({ mention: "U1" });
    expect(message.calls).toBeUndefined();
  });
});

describe("the card in somebody's direct messages", () => {
  const from = "**Ben** asks in **#general**.";

  it("a card in direct messages says who asks where, with the same arguments, reason, time and buttons", () => {
    const asked = { ...approval, reason: "It leaves the channel." };
    const message = renderDirectApproval(asked, from, 4_000);
    expect(message.markdown).toMatch(/^\*\*Ben\*\* asks in \*\*#general\*\*\.\n\*\*May I run/);
    for (const part of ["It leaves the channel.", "all@example.com", "You may decide."])
      expect(message.markdown).toContain(part);
    const { timed, buttons } = renderApproval(asked, audience, 4_000);
    expect(message).toMatchObject({ timed, buttons });
  });

  it("a card in direct messages keeps within the limit and attaches what is cut", () => {
    const input = { text: "x".repeat(9_000) };
    const message = renderDirectApproval({ ...approval, input }, from, 2_000);
    expect(message.markdown.length).toBeLessThanOrEqual(2_000);
    expect(message.files?.[0]?.name).toBe("arguments.json");
  });

  it("a card in direct messages says that a standing decision holds where it was asked", () => {
    const binds = { skill_id: "mail", tool: "send_mail", definition: "d", values: {} };
    const { markdown } = renderDirectApproval({ ...approval, binds }, from, 4_000);
    expect(markdown).toContain("allows this tool as it is now, where it was asked, and not here;");
  });

  it("a card in direct messages has no buttons when it is over", () => {
    const message = renderClosedApproval(approval, { end: "**mia** refused.", from }, 4_000);
    expect(message.markdown).toMatch(/^\*\*Ben\*\* asks[\s\S]*\n\n\*\*mia\*\* refused\.$/);
    expect(message.buttons).toBeUndefined();
  });
});
