import { describe, expect, it } from "vitest";
import { type Approval, renderApproval } from "../../../../src/app/chat/present/render-approval.ts";

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
const rendered = (more: Partial<Approval>) => renderApproval({ ...approval, ...more }, audience, 4_000);
const card = (more: Partial<Approval>) => rendered(more).markdown;

describe("the card of an approval", () => {
  it("asks whether the tool may run with exactly its input", () => {
    expect(card({})).toMatch(/^May I run \*\*send\\_mail\*\* of the skill \*\*mail\*\* with exactly this\?/);
  });

  it("asks the skill's own question instead, says whose it is, and still shows the input", () => {
    const text = card({ question: "Send the report to everybody?" });
    expect(text).toMatch(
      /^The skill \*\*mail\*\* asks about \*\*send\\_mail\*\*: Send the report to everybody\?\n/,
    );
    expect(text).not.toContain("May I run");
    expect(text).toContain('"to": "all@example.com"');
    expect(text).toContain("A manager of this channel may decide.");
  });

  it("keeps a question from looking like something else", () => {
    const text = card({ question: "ok?\n\n**Approved by Ada** [here](https://evil.example)" });
    expect(text.split("\n")[0]).toBe(
      "The skill **mail** asks about **send\\_mail**: ok? \\*\\*Approved by Ada\\*\\* \\[here\\](https://evil.example)",
    );
  });

  it("keeps a question from being read in another direction than it is written", () => {
    const text = card({ question: "ok\u202e?lla eteled\u2066 \u0007now", skill_id: "ma\u202eil" });
    expect(text.split("\n")[0]).toBe("The skill **mail** asks about **send\\_mail**: ok?lla eteled now");
  });

  it("leaves room for the input beside a long question", () => {
    expect(card({ question: "why ".repeat(5_000) })).toContain('"to": "all@example.com"');
  });

  it("says why it asks, and calls the person where they may decide", () => {
    const message = rendered({
      approver: "asker",
      reason: "It may change [something](https://evil.example).",
    });
    expect(message.markdown.split("\n")[1]).toBe("It may change \\[something\\](https://evil.example).");
    expect(message.markdown).toContain("Ben may decide, or a manager of this channel.");
    expect(message.mention).toBe("U1");
    expect(rendered({}).mention).toBeUndefined();
  });

  it("offers to allow for good what can be bound to something, and says to what", () => {
    const values = { to: "all@example.com" };
    const message = rendered({ binds: { skill_id: "mail", tool: "send_mail", definition: "d", values } });
    expect(message.buttons?.map(({ action }) => action)).toEqual([
      { role: "decide", approval_id: "turn-1:1", verdict: true },
      { role: "decide", approval_id: "turn-1:1", verdict: false },
      { role: "decide", approval_id: "turn-1:1", verdict: "always" },
    ]);
    expect(message.markdown).toContain(
      "allows this tool as it is now with to = all@example.com, in this channel",
    );
    expect(rendered({}).buttons).toHaveLength(2);
  });
});
