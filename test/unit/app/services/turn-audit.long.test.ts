import { expect, it } from "vitest";
import { approve } from "../../../support/bot/ask-app.ts";
import { createFakePlatform } from "../../../support/fakes/fake-platform.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ada, ben } from "../../../support/test-app.ts";
import { manualClock, presentedApp, stagedModel } from "../chat/present/presented-app.ts";

type Rounds = Parameters<typeof stagedModel>;

/** What the model does in turn `number`: only answers, acts unasked, acts after an approval, is refused, or does two things. */
function roundsOf(number: number): Rounds {
  const note = { call: "note", with: { text: `note ${number}` } };
  const send = { call: "send", with: { text: `letter ${number}`, to: "#launch" } };
  const kinds: Rounds[] = [
    [["An answer."]],
    [[note], ["Noted."]],
    [[send], ["Sent."]],
    [[send], ["Not sent."]],
    [[note], [send], ["Both."]],
  ];
  return kinds[number % kinds.length] ?? [];
}

it("the audit has exactly one line for each effect and each new message of 500 turns [record-2]", async () => {
  const clock = manualClock();
  const platform = createFakePlatform({ now: clock.now });
  const ran: string[] = [];
  const run = (input: unknown) => {
    ran.push((input as { text: string }).text);
    return "done";
  };
  const skills = [
    testSkill("notes", [{ name: "note", effect: "idempotent", run }], { active: true }),
    testSkill("mail", [{ name: "send", effect: "side_effect", run, approval: () => "asker" }], {
      active: true,
    }),
  ];
  const count = 500;
  const rounds = Array.from({ length: count }, (_, number) => roundsOf(number)).flat();
  const { app, ask, reach } = presentedApp(stagedModel(...rounds), { clock, platform, skills });
  const asks = new Map<string, number>();
  for (let number = 0; number < count; number += 1) {
    const turnId = await ask(`do ${number}`, { author: ben, thread: `thread-${number}` });
    asks.set(turnId, number);
    if (number % 5 >= 2) {
      await reach(turnId, "turn_waiting");
      await approve(app, `${turnId}:1`, number % 5 !== 3, ben);
    }
    await reach(turnId, "turn_finished");
  }
  clock.advance(60_000);
  const lines: Record<string, unknown>[] = [];
  for (let cursor: string | undefined; ; ) {
    const asker = { by: ada, namespace: "console:local:general" };
    const page = await app.run("audit.list", { input: { cursor }, asker });
    if (!page.ok) throw new Error(page.message);
    lines.push(...page.value.lines);
    if (page.value.next === cursor) break;
    cursor = page.value.next;
  }
  const of = (action: string) => lines.filter((line) => line.action === action);
  const effects = of("effect");
  expect(effects).toHaveLength(ran.length);
  expect(ran).toHaveLength(4 * (count / 5));
  for (const { turn_id, by, status, allowed, what } of effects) {
    expect({ by, status }).toEqual({ by: "ben", status: "ok" });
    const isLetter = String(what).includes("send");
    expect(allowed).toMatchObject(isLetter ? { rule: "approved", by: "ben" } : { rule: "unasked" });
    expect(asks.has(String(turn_id))).toBe(true);
  }
  const posted = platform.shown.filter(({ only_for }) => only_for === undefined);
  const posts = of("post").map(({ reference }) => String(reference));
  expect(new Set(posts).size).toBe(posts.length);
  expect(posts.toSorted()).toEqual(posted.map(({ reference }) => reference).toSorted());
  expect(of("approval_approved")).toHaveLength(2 * (count / 5));
  expect(of("approval_refused")).toHaveLength(count / 5);
}, 240_000);
