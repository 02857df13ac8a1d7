import { describe, expect, it } from "vitest";
import type { TurnEventBodyOf } from "../../../../src/core/log/turn-event.ts";
import { personKey } from "../../../../src/core/values/place.ts";
import { createFakePlatform, type ShownMessage } from "../../../support/fakes/fake-platform.ts";
import { testSkill } from "../../../support/skills/test-skill.ts";
import { ben } from "../../../support/test-app.ts";
import { manualClock, place, presentedApp, stagedModel } from "../chat/present/presented-app.ts";

const anna = { id: "anna", name: "Anna", kind: "person" } as const;
const carl = { id: "carl", name: "Carl", kind: "person" } as const;

/** A bot whose model closes deals at a server where only Anna has an account, `deals` of them in each of the `rounds` of a turn. */
function crmBot({ deals = 1, rounds = 1, turns = 1, connected = ["anna"] } = {}) {
  const clock = manualClock();
  const platform = createFakePlatform({ directs: true, now: clock.now });
  for (const { id, name } of [anna, carl]) platform.people.set(id, { name });
  const accounts = new Set(connected);
  const used: string[] = [];
  const configured = { approver: "none" } as const;
  const crm = testSkill(
    "mcp_crm",
    [
      {
        name: "crm__close_deal",
        effect: "side_effect",
        server: {
          ...{ server: "crm", tool: "close_deal", definition: "d", own: true, hints: {}, configured },
          ...{ credentials: "per_user", host: "crm.example" },
        },
        isConnected: async (person) => [...accounts].some((id) => personKey(place.namespace, id) === person),
        run: (_input, context) => {
          used.push(context.lender ?? context.user.id);
          return "closed";
        },
      },
    ],
    { active: true, kind: "mcp" },
  );
  const round = Array.from({ length: deals }, (_, at) => ({
    call: "crm__close_deal",
    with: { text: `Acme ${at}` },
  }));
  const turn = [...Array.from({ length: rounds }, () => round), ["Done."]];
  const all = Array.from({ length: turns }, () => turn).flat();
  const bot = presentedApp(stagedModel(...all), {
    ...{ platform, clock, skills: [crm], max_duration_ms: 3_600_000, limits: { approval_ms: 900_000 } },
  });
  let presses = 0;
  return {
    ...{ ...bot, accounts, used },
    cards: (person?: string) =>
      platform
        .visible()
        .filter(({ message }) => message.tag?.purpose === "approval")
        .filter(
          ({ place: { namespace } }) =>
            namespace === (person === undefined ? place.namespace : `fake:team:dm-${person}`),
        ),
    press(card: ShownMessage | undefined, label: string, person: string) {
      presses += 1;
      const button = card?.message.buttons?.find((each) => each.label === label)?.id ?? `no ${label}`;
      const where = { place: card?.place ?? place, reference: card?.reference ?? "" };
      return bot.intake.press({ ...where, id: `press-${presses}`, person, button });
    },
    asking: (mentions: (typeof anna | typeof carl)[] = [anna]) =>
      bot.ask("close the Acme deal with the account of @Anna", { author: ben, mentions }),
  };
}

type Finished = TurnEventBodyOf<"tool_finished">;
const resultIn = (events: readonly { type: string }[]) =>
  events.findLast(({ type }) => type === "tool_finished") as Finished;

describe("a call uses somebody else's account only if its owner allows it", () => {
  it("the owner is asked in private: by whom, for what, and where the answer is shown", async () => {
    const { asking, reach, cards, used } = crmBot();
    await reach(await asking(), "turn_waiting");
    const [card] = cards("anna");
    expect(card?.message.markdown).toContain('May I use your account at “crm” for "Ben" <@ben>?');
    expect(card?.message.markdown).toContain("> close the Acme deal with the account of @Anna");
    expect(card?.message.markdown).toContain("close\\_deal");
    expect(card?.message.markdown).toContain(`**text:** "Acme 0`);
    expect(card?.message.markdown).toContain("What it answers is shown where it was asked.");
    expect(card?.message.buttons?.map(({ label }) => label)).toEqual([
      ...["Accept once", "Refuse", "For this answer", "Details"],
    ]);
    expect(used).toEqual([]);
  });

  it("allowed once, it runs as the owner, both are told, and the next call asks again", async () => {
    const { asking, reach, cards, press, used, app, clock } = crmBot({ turns: 2 });
    const first = await asking();
    await reach(first, "turn_waiting");
    await press(cards("anna")[0], "Accept once", "anna");
    const events = await reach(first, "turn_finished");
    expect(used).toEqual(["anna"]);
    for (const card of [cards()[0], cards("anna")[0]])
      expect(card?.message.markdown).toMatch(/\*\*Anna\*\* approved\.$/);
    expect(events.find(({ type }) => type === "tool_started")).toMatchObject({ account: "crm: Anna" });
    clock.advance(10_000);
    const receipt = await app.run("turn.receipt", {
      input: { id: first },
      asker: { by: ben, namespace: place.namespace },
    });
    expect(JSON.stringify(receipt)).toContain("crm: Anna");
    await reach(await asking(), "turn_waiting");
    expect(used).toEqual(["anna"]);
  });

  it("nobody but the owner may allow it, not even a manager [server-6]", async () => {
    const { asking, reach, cards, press, used, platform } = crmBot();
    platform.people.set("mia", { name: "Mia", trust: "manager" });
    await reach(await asking(), "turn_waiting");
    await press(cards()[0], "Accept once", "mia");
    expect(platform.visible().find(({ only_for }) => only_for === "mia")?.message.markdown).toContain(
      "Only Anna can decide",
    );
    expect(used).toEqual([]);
  });

  it("“For this answer” covers all calls of the turn, and no later turn [server-6]", async () => {
    const { asking, reach, cards, press, used } = crmBot({ deals: 3, turns: 2 });
    const first = await asking();
    await reach(first, "turn_waiting");
    await press(cards("anna")[0], "For this answer", "anna");
    await reach(first, "turn_finished");
    expect(used).toEqual(["anna", "anna", "anna"]);
    expect(cards()[0]?.message.markdown).toMatch(/\*\*Anna\*\* approved, for this answer\.$/);
    await reach(await asking(), "turn_waiting");
    expect(used).toHaveLength(3);
  });

  it("“For this answer” is asked again once the model has read untrusted text, such as a result [server-6]", async () => {
    const { asking, reach, cards, press, used } = crmBot({ deals: 2, rounds: 2 });
    const turn = await asking();
    await reach(turn, "turn_waiting");
    await press(cards("anna")[0], "For this answer", "anna");
    await reach(turn, "approval_requested", 4);
    expect(used).toEqual(["anna", "anna"]);
    await press(cards("anna").at(-1), "Refuse", "anna");
    await reach(turn, "turn_finished");
    expect(used).toEqual(["anna", "anna"]);
  });

  it.each(["always", "never"] as const)("it has no standing decision: “%s” counts once", async (verdict) => {
    const { asking, reach, used, app } = crmBot({ turns: 2 });
    const first = await asking();
    const waiting = await reach(first, "turn_waiting");
    const asked = waiting.find((event) => event.type === "approval_requested");
    const anna = { by: { id: "anna", name: "Anna", trust: "member" } as const, namespace: place.namespace };
    const input = { id: asked?.approval_id ?? "", approve: verdict === "always", [verdict]: true };
    expect(await app.run("approval.decide", { input, asker: anna })).toMatchObject({ ok: true });
    await reach(first, "turn_finished");
    expect(used).toEqual(verdict === "always" ? ["anna"] : []);
    await reach(await asking(), "turn_waiting");
    const listed = await app.run("approval.list", { input: { namespace: place.namespace }, asker: anna });
    expect(listed).toMatchObject({ value: { allowed: [], refused: [], open: [{ approver: "Anna" }] } });
  });

  it("a refusal ends it for the turn alone", async () => {
    const { asking, reach, cards, press, used } = crmBot({ deals: 2, turns: 2 });
    const first = await asking();
    await reach(first, "turn_waiting");
    await press(cards("anna")[0], "Refuse", "anna");
    const events = await reach(first, "turn_finished");
    expect(resultIn(events)).toMatchObject({
      output: {
        code: "refused",
        error: '"Anna" (anna) refused the use of their account at crm, so close_deal did not run.',
      },
    });
    expect(cards("anna")[1]?.message.markdown).toMatch(/No decision is needed any more/);
    await reach(await asking(), "turn_waiting");
    expect(used).toEqual([]);
  });

  it("nobody is asked who is not mentioned or has no account, and one's own account comes first", async () => {
    const { asking, ask, reach, used, accounts } = crmBot({ turns: 3 });
    await reach(await ask("close the deal", { author: ben }), "turn_finished");
    await reach(await asking([carl]), "turn_finished");
    accounts.add("ben");
    const last = await reach(await asking(), "turn_finished");
    expect(last.some(({ type }) => type === "approval_requested")).toBe(false);
    expect(used).toEqual(["ben", "ben", "ben"]);
  });

  it("no answer in time is a no, and what a private message said is not shown to the owner", async () => {
    const { ask, reach, cards, used } = crmBot();
    const direct = { namespace: "fake:team:dm-ben", thread: "dm", author: ben, mentions: [anna] };
    const turnId = await ask("Anna is on leave, use the account of @Anna", direct);
    await reach(turnId, "turn_waiting");
    expect(cards("anna")[0]?.message.markdown).toContain("What it answers is shown to them.");
    expect(cards("anna")[0]?.message.markdown).not.toContain("on leave");
    const events = await reach(turnId, "turn_finished");
    expect(resultIn(events)).toMatchObject({ output: { code: "approval_expired" } });
    expect(used).toEqual([]);
  });
});
