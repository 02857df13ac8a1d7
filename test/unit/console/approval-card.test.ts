import type { TemplateResult } from "lit-html";
import { expect, it } from "vitest";
import { approvalCard } from "../../../src/console/thread/approval-card.ts";
import type { ApprovalView } from "../../../src/core/log/turn-view.ts";
import type { Verdict } from "../../../src/core/values/verdict.ts";

const binds = { skill_id: "mail", tool: "send", definition: "d", values: { to: "ann" } };
const open: ApprovalView = {
  ...{ approval_id: "t:1", call_id: "c", tool: "send", skill_id: "mail", input: { to: "ann" } },
  ...{ approver: "manager", expires_at: 60_000, state: "open" },
};

/** What a template shows, without tags, and what its buttons do, in order. */
function read(value: unknown, does: (() => void)[] = []): { text: string; does: (() => void)[] } {
  if (typeof value === "function") does.push(value as () => void);
  if (typeof value === "string" || typeof value === "number") return { text: `${value}`, does };
  if (Array.isArray(value)) return { text: value.map((each) => read(each, does).text).join(" "), does };
  if (typeof value !== "object" || value === null || !("strings" in value)) return { text: "", does };
  const { strings, values } = value as TemplateResult;
  const parts = strings.map((part, at) => part + read(values[at], does).text);
  return {
    text: parts
      .join("")
      .replace(/<[^>]*>/g, "")
      .replace(/\s+/g, " "),
    does,
  };
}

function card(approval: Partial<ApprovalView>) {
  const decided: [string, Verdict][] = [];
  const opened: string[] = [];
  const messages = { approve: (id: string, verdict: Verdict) => void decided.push([id, verdict]) };
  const files = { download: ({ name }: { name: string }) => void opened.push(name) };
  const shown = read(approvalCard({ ...open, ...approval }, { messages, files }));
  for (const press of shown.does) press();
  return { text: shown.text, opened, verdicts: decided.map(([, verdict]) => verdict) };
}

it("an approval card decides once where no standing decision is possible", () => {
  const { text, verdicts } = card({});
  expect(verdicts).toEqual(["once", "refuse"]);
  expect(text).toContain("Approve Refuse");
  expect(text).not.toContain("Never");
});

it("an approval card offers standing decisions for calls that can be bound, and names what they bind", () => {
  const { text, verdicts } = card({ binds, addresses: ["https://a.example"] });
  expect(verdicts).toEqual(["once", "refuse", "turn", "always", "never"]);
  expect(text).toContain("Approve once Refuse This site, this turn Always here Never");
  expect(text).toContain(`with to = "ann"`);
});

it.each<[Partial<ApprovalView>, string]>([
  [
    { state: "approved", by: "U1", name: "olga", always: true },
    'May I run “send” of the skill “mail” with to "ann"? olga approved, always here',
  ],
  [
    { state: "refused", by: "U1", name: "olga", never: true },
    'May I run “send” of the skill “mail” with to "ann"? olga refused, never here',
  ],
  [{ state: "approved", by: "U1", name: "olga", for_turn: true }, "olga approved, this site for this turn"],
  [{ state: "refused", by: "U1" }, 'May I run “send” of the skill “mail” with to "ann"? U1 refused'],
  [{ state: "expired" }, "Nobody decided in time."],
])("an approval card says afterwards who decided what: %o", (approval, text) => {
  const shown = card(approval);
  expect(shown.text).toContain(text);
  expect(shown.verdicts).toEqual([]);
});

it("an approval card offers the account that it asks for once, and for the answer", () => {
  const person = { id: "U2", name: "Anna", for_answer: true } as const;
  const { text, verdicts } = card({ person });
  expect(verdicts).toEqual(["once", "refuse", "turn"]);
  expect(text).toContain("For this answer");
  const decided = { state: "approved", by: "U2", name: "Anna", for_turn: true } as const;
  expect(card({ person, ...decided }).text).toContain("Anna approved, for this answer");
});

it("an approval card names the files that are asked about, and opens exactly those [asks-9]", () => {
  const file = { name: "plan.txt", media_type: "text/plain", bytes: 8, sha256: "0123456789abcdef01" };
  const kept = { ...file, stored: "plan-2.txt", url: "/api/v1/turns/t/files/plan-2.txt" };
  const { text, opened } = card({ files: [kept, file] });
  expect(text).toContain('file: "plan.txt" (8 B, SHA-256 0123456789abcdef…)');
  expect(opened).toEqual(["plan-2.txt"]);
});

it("an approval card that was replaced says so, and decides nothing [asks-9]", () => {
  const { text, verdicts } = card({ state: "replaced" });
  expect(text).toContain("Replaced: what this is about has changed");
  expect(verdicts).toEqual([]);
});
