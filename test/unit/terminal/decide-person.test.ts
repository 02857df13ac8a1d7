import { expect, it } from "vitest";
import type { ApprovalView } from "../../../src/core/log/turn-view.ts";
import { decidePerson } from "../../../src/platforms/terminal/decide-person.ts";
import { createPaint } from "../../../src/platforms/terminal/paint.ts";

const approval: ApprovalView = {
  ...{ approval_id: "t:1", call_id: "c", tool: "send", skill_id: "mail", input: { to: "ann" } },
  ...{ approver: "manager", expires_at: 60_000, state: "open" },
  binds: { skill_id: "mail", tool: "send", definition: "d", values: { to: "ann" } },
};

/** What is decided by these lines, and what was shown. */
async function decide(lines: string[], asked: ApprovalView = approval) {
  const shown: string[] = [];
  const read = async () => lines.shift();
  const say = (line: string) => void shown.push(line);
  const person = { read, say, paint: createPaint(false), prompt: "? " };
  const verdict = await decidePerson(asked, new AbortController().signal, person);
  return { verdict, shown: shown.join("\n") };
}

it.each([
  ["y", "once"],
  ["No", "refuse"],
  ["a", "always"],
  ["never", "never"],
] as const)("the answer %s decides %s", async (line, verdict) => {
  expect((await decide([line])).verdict).toBe(verdict);
});

it("the answer n is not taken for never, nor never where no standing decision is possible", async () => {
  expect((await decide(["n"])).verdict).toBe("refuse");
  const { binds: _, ...once } = approval;
  const { verdict, shown } = await decide(["never", "t", "n"], once);
  expect(verdict).toBe("refuse");
  expect(shown).not.toContain("from now on");
});

it("the approval prompt says what each word does", async () => {
  const { shown } = await decide(["hm", "n"]);
  expect(shown).toContain(
    "y runs it, n refuses it, a allows it here from now on, never refuses it here from now on.",
  );
  expect(shown).toContain(`with to = "ann"`);
});
