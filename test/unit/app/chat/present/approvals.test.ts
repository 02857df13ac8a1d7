import { describe, expect, it } from "vitest";
import type { TurnEventBody } from "../../../../../src/core/log/turn-event.ts";
import { PlatformError } from "../../../../../src/core/ports/chat-platform.ts";
import type { Json } from "../../../../../src/core/values/json.ts";
import type { Place } from "../../../../../src/core/values/place.ts";
import { forgetTurn } from "../../../../support/bot/ask-app.ts";
import { eventually } from "../../../../support/eventually.ts";
import {
  createFakePlatform,
  type FakePlatform,
  type ShownMessage,
} from "../../../../support/fakes/fake-platform.ts";
import { runThatWrites } from "../../../../support/fakes/folder-code.ts";
import { ada, ben } from "../../../../support/test-app.ts";
import { sender } from "../../approvals/approval-fixture.ts";
import { logLeftBehind, manualClock, place, presentedApp, stagedModel } from "./presented-app.ts";

const here = (id: string) => ({ id, here: true });
const away = (id: string) => ({ id, here: false });

/** A bot whose model sends something, which asks for an operator. */
function askingBot(
  more: Parameters<typeof presentedApp>[1] = {},
  rounds: Parameters<typeof stagedModel> = [[{ call: "send" }], ["Done."]],
) {
  const clock = more.clock ?? manualClock();
  const platform = more.platform ?? createFakePlatform({ directs: true, now: clock.now });
  for (const id of ["olga", "pat"]) platform.people.set(id, { trust: "operator" });
  const { skill, ran } = sender();
  const limits = { question_ms: 900_000, approval_ms: 900_000 };
  const bot = presentedApp(stagedModel(...rounds), {
    ...{ max_duration_ms: 3_600_000, limits, skills: [skill] },
    ...{ ...more, platform, clock },
  });
  let presses = 0;
  /** Presses a button of a card as the platform hands it in. */
  const press = (card: ShownMessage | undefined, label: string, person: string, text?: string) => {
    const button = card?.message.buttons?.find((each) => each.label === label)?.id ?? "none";
    const reference = card?.reference ?? "";
    presses += 1;
    return bot.intake.press({
      ...{ place: card?.place ?? place, id: `press-${presses}` },
      ...{ person, button, reference, ...(text === undefined ? {} : { text }) },
    });
  };
  return { ...bot, ran, press };
}

const cards = (platform: FakePlatform) =>
  platform.visible().filter(({ message }) => message.tag?.purpose === "approval");
const inChannel = (platform: FakePlatform) =>
  cards(platform).find((each) => each.place.namespace === place.namespace);
const inDirect = (platform: FakePlatform, person: string) =>
  cards(platform).find((each) => each.place.namespace === `fake:team:dm-${person}`);

describe("an approval reaches those who may decide", () => {
  it("an approval mentions deciders who see it, and sends a card to the direct messages of those who do not [asks-7]", async () => {
    const { platform, ask, reach } = askingBot();
    platform.deciding.operator.push(here("olga"), away("pat"));
    await reach(await ask("send it", { author: ben }), "turn_waiting");
    expect(cards(platform)).toHaveLength(2);
    const { message } = inChannel(platform) ?? {};
    expect(message?.markdown).toContain('An operator of the bot may decide: <@olga> or "pat" <@pat>.');
    expect(message?.calls).toEqual(["olga"]);
    const direct = inDirect(platform, "pat")?.message;
    expect(direct?.markdown).toMatch(
      /^\*\*"Ben" <@ben>\*\* asks in \*\*#general\*\*\.\n\*\*May I run “send” of the skill “mail”\?\*\*/,
    );
    expect(direct?.buttons).toEqual(message?.buttons);
    expect(direct?.timed).toEqual(message?.timed);
  });

  it("a press in direct messages decides an approval, and both cards say who decided", async () => {
    const { platform, ask, reach, press, ran } = askingBot();
    platform.deciding.operator.push(away("pat"));
    const turnId = await ask("send it", { author: ben });
    await reach(turnId, "turn_waiting");
    await press(inDirect(platform, "pat"), "Always here", "pat");
    await reach(turnId, "turn_finished");
    expect(ran).toHaveLength(1);
    for (const card of [inChannel(platform), inDirect(platform, "pat")]) {
      expect(card?.message.markdown).toMatch(/\*\*pat\*\* approved, always here\.$/);
      expect(card?.message.buttons).toBeUndefined();
    }
  });

  it("nobody decides in direct messages what they may not decide where it was asked [asks-7]", async () => {
    const { platform, ask, reach, press, ran } = askingBot();
    platform.deciding.operator.push(away("pat"));
    const turnId = await ask("send it", { author: ben });
    await reach(turnId, "turn_waiting");
    platform.people.delete("pat");
    await press(inDirect(platform, "pat"), "Approve once", "pat");
    const told = platform.visible().find(({ only_for }) => only_for === "pat");
    expect(told?.message.markdown).toContain(
      "An operator of the bot has to decide whether to run “send” of the skill “mail”.",
    );
    expect(told?.place.namespace).toBe("fake:team:dm-pat");
    expect(ran).toEqual([]);
  });

  it("an approval brings the files that it is about, and a file that changed closes all its cards for new ones [asks-9]", async () => {
    const rounds: Parameters<typeof stagedModel> = [
      [{ call: "send", with: { text: "plan.txt" } }],
      ["Done."],
    ];
    const { platform, ask, reach, press, ran, folders } = askingBot({}, rounds);
    platform.deciding.operator.push(here("olga"), away("pat"));
    const write = (text: string) => runThatWrites(folders.of(place), { "output/plan.txt": text });
    await write("harmless");
    const turnId = await ask("send it", { author: ben });
    await reach(turnId, "turn_waiting");
    const filesOf = (shown: readonly ShownMessage[]) =>
      shown.map(({ message }) => message.files?.map(({ data }) => new TextDecoder().decode(data)));
    const first = cards(platform).map((each) => ({ ...each }));
    expect(filesOf(first)).toEqual([["harmless"], ["harmless"]]);
    await write("vault-code-4711");
    await press(inDirect(platform, "pat"), "Approve once", "pat");
    await reach(turnId, "turn_waiting", 2);
    const open = cards(platform).filter(({ message }) => message.buttons !== undefined);
    const closed = cards(platform).filter(({ message }) => message.buttons === undefined);
    expect(filesOf(open)).toEqual([["vault-code-4711"], ["vault-code-4711"]]);
    expect(open[0]?.message.markdown).toContain('**file:** "plan.txt" (15 B, SHA-256 ');
    expect(closed).toHaveLength(2);
    for (const { message } of closed)
      expect(message.markdown).toContain("*Replaced: what this is about has changed");
    for (const card of first) await press(card, "Approve once", "olga");
    expect(ran).toEqual([]);
    await press(open[0], "Approve once", "olga");
    await reach(turnId, "turn_finished");
    expect(ran).toHaveLength(1);
    expect(inChannel(platform)?.message.markdown).toContain("Replaced");
  });

  it("an approval asked in a direct message with the bot is sent to operators", async () => {
    const { platform, ask, reach } = askingBot();
    platform.deciding.operator.push(away("pat"));
    await reach(
      await ask("send it", { author: ben, namespace: "fake:team:dm-ben", thread: "dm" }),
      "turn_waiting",
    );
    expect(inDirect(platform, "ben")?.message.markdown).toContain(
      'An operator of the bot may decide: "pat" <@pat>.',
    );
    expect(inDirect(platform, "pat")?.message.markdown).toMatch(
      /^\*\*"Ben" <@ben>\*\* asks in a direct message with me\./,
    );
  });

  it("an approval is sent to at most five people, and never to the asker", async () => {
    const { platform, ask, reach } = askingBot();
    platform.deciding.operator.push(...["ben", "a", "b", "c", "d", "e", "f"].map(away));
    await reach(await ask("send it", { author: ben }), "turn_waiting");
    const written = cards(platform).filter((each) => each.place.namespace !== place.namespace);
    expect(written.map((each) => each.place.namespace.replace("fake:team:dm-", ""))).toEqual([
      ...["a", "b", "c", "d", "e"],
    ]);
  });

  it("an approval calls only the asker where they may decide themselves", async () => {
    const { platform, ask, reach } = askingBot();
    platform.deciding.operator.push(here("olga"), away("pat"));
    await reach(await ask("send it", { author: ada }), "turn_waiting");
    expect(cards(platform)).toHaveLength(1);
    expect(inChannel(platform)?.message.mention).toBe("ada");
    expect(inChannel(platform)?.message.calls).toEqual(["ada"]);
  });

  it("an approval skips people who cannot be written to and takes the next", async () => {
    const { platform, ask, reach } = askingBot();
    platform.deciding.operator.push(away("olga"), away("pat"));
    platform.fail("direct", new PlatformError("forbidden", "They take no messages."));
    const events = await reach(await ask("send it", { author: ben }), "turn_waiting");
    expect(inDirect(platform, "olga")).toBeUndefined();
    expect(inDirect(platform, "pat")).toBeDefined();
    expect(events.some(({ type }) => type === "error")).toBe(false);
  });
});

describe("an approval that is edited", () => {
  const letter = { to: "#launch", text: "Helo team" };
  /** A bot whose model sends this letter, and whose tool quotes its text. */
  function writingBot() {
    const { skill, ran } = sender();
    const tools = skill.tools.map((tool) => ({
      ...tool,
      title: "Sending a letter",
      says: () => ({ deed: "send a letter to #launch", quotes: "text", names: ["to"] }),
    }));
    const rounds = [[{ call: "send", with: letter }], ["Done."]];
    return { ...askingBot({ skills: [{ ...skill, tools }] }, rounds), sent: ran };
  }

  it("an approval says in one sentence what happens, quotes what others will see, and says why it asks", async () => {
    const { platform, ask, reach } = writingBot();
    await reach(await ask("send it", { author: ada }), "turn_waiting");
    expect(inChannel(platform)?.message.markdown.split("\n")).toEqual([
      "**May I send a letter to #launch?**".replace("#", "\\#"),
      "> Helo team",
      "",
      "The skill mail is marked as high-risk.",
      "",
      '"Ada" <@ada> may decide, or another operator of the bot.',
      expect.stringContaining("“Always here”"),
    ]);
    const labels = inChannel(platform)?.message.buttons?.map(({ label }) => label);
    expect(labels?.slice(0, 3)).toEqual(["Approve once", "Edit", "Refuse"]);
  });

  it("a submitted edit runs the call with the changed text, and the card and the model are told [asks-3]", async () => {
    const { platform, ask, reach, press, sent, intake } = writingBot();
    platform.people.set("ada", { trust: "operator" });
    const turnId = await ask("send it", { author: ada });
    await reach(turnId, "turn_waiting");
    const card = inChannel(platform);
    const button = card?.message.buttons?.find(({ label }) => label === "Edit")?.id ?? "";
    const pressed = { place, id: "form", person: "ada", button, reference: card?.reference ?? "" };
    expect(await intake.formOfPress(pressed)).toMatchObject({ text: "Helo team", submit: "Approve" });
    await press(card, "Edit", "ada", "Hello team");
    const events = await reach(turnId, "turn_finished");
    expect(sent).toEqual([{ ...letter, text: "Hello team" }]);
    expect(events.find(({ type }) => type === "approval_decided")).toMatchObject({ edited: "Hello team" });
    expect(events.find(({ type }) => type === "tool_finished")).toMatchObject({
      shown: expect.stringContaining('["ada" changed text before it ran: "Hello team"]'),
    });
    expect(inChannel(platform)?.message.markdown).toMatch(
      /> Hello team\n[\s\S]*\*\*ada\*\* approved, with changes\.$/i,
    );
  });

  it("somebody who may not decide can neither open nor submit the form", async () => {
    const { platform, ask, reach, press, sent, intake } = writingBot();
    await reach(await ask("send it", { author: ada }), "turn_waiting");
    const card = inChannel(platform);
    platform.people.set("ben", { trust: "member" });
    const button = card?.message.buttons?.find(({ label }) => label === "Edit")?.id ?? "";
    const pressed = { place, id: "form", person: "ben", button, reference: card?.reference ?? "" };
    expect(await intake.formOfPress(pressed)).toBeUndefined();
    await press(card, "Edit", "ben", "Give Ben a raise");
    const told = platform.visible().find(({ only_for }) => only_for === "ben");
    expect(told?.message.markdown).toContain("has to decide whether to send a letter to \\#launch.");
    expect(sent).toEqual([]);
  });

  it("the details of an approval are its exact arguments, for its asker and those who may decide", async () => {
    const { platform, ask, reach, press } = writingBot();
    await reach(await ask("send it", { author: ada }), "turn_waiting");
    await press(inChannel(platform), "Details", "ada");
    const told = platform.visible().find(({ only_for }) => only_for === "ada");
    expect(told?.message.markdown).toContain('"text": "Helo team"');
  });
});

describe("an approval that nobody decides", () => {
  const minutes = 60_000;
  const reminders = (platform: FakePlatform) =>
    platform.visible().filter(({ message }) => message.tag?.purpose === "reminder");

  it("after half of its time people are reminded once, and the reminder goes with the decision [asks-6]", async () => {
    const clock = manualClock();
    const { platform, ask, reach, press } = askingBot({ clock });
    platform.deciding.operator.push(here("olga"), away("pat"));
    const turnId = await ask("send it", { author: ben });
    await reach(turnId, "turn_waiting");
    clock.advance(8 * minutes);
    await eventually(() => expect(reminders(platform)).toHaveLength(2));
    const inPlace = reminders(platform).find((each) => each.place.namespace === place.namespace);
    expect(inPlace?.message.markdown).toMatch(/^⏰ \*\*May I run “send”.*<@olga> or "pat" <@pat>\.$/);
    expect(inPlace?.message.calls).toEqual(["olga"]);
    await press(inChannel(platform), "Refuse", "olga");
    await reach(turnId, "turn_finished");
    expect(reminders(platform).map((each) => each.place.namespace)).toEqual(["fake:team:dm-pat"]);
  });

  it("if the asker has left, the reminder goes to those who may decide now", async () => {
    const clock = manualClock();
    const { platform, ask, reach } = askingBot({ clock });
    await reach(await ask("send it", { author: ada }), "turn_waiting");
    platform.people.set("ada", { trust: "guest" });
    platform.deciding.operator.push(away("pat"));
    clock.advance(8 * minutes);
    await eventually(() => expect(inDirect(platform, "pat")).toBeDefined());
    await eventually(() => expect(reminders(platform)).toHaveLength(1));
    expect(reminders(platform)[0]?.message.markdown).toContain('may decide: "pat" <@pat>.');
  });
});

describe("after a crash", () => {
  /** What a bot has stored that died after it had asked. */
  const stored = (expires_at: number, input: Json): TurnEventBody[] => [
    { type: "turn_started", profile: "chat", model: "staged/model" },
    { type: "round_started", round: 1 },
    {
      ...{ type: "model_message", round: 1, model: "staged/model" },
      message: { role: "assistant", text: "", tool_calls: [{ id: "c1", name: "send", arguments: "{}" }] },
    },
    {
      ...{ type: "approval_requested", approval_id: `${turnId}:1`, call_id: "c1" },
      ...{ tool: "send", skill_id: "mail", input, approver: "operator", expires_at },
    },
  ];
  const turnId = "00000000-0000-4000-8000-000000000000";
  const tag = { turn_id: turnId, purpose: "approval", part: 0 } as const;
  const card = { markdown: "May I?", tag };
  const dm = (person: string) => ({ namespace: `fake:team:dm-${person}`, thread: "dm" });

  /** A bot that finds this on the platform, and of it in the log what was noted. */
  async function afterCrash(
    shown: readonly Place[],
    noted: readonly TurnEventBody[] = [],
    {
      input = {},
      rounds = [["Done."]],
      ...more
    }: { input?: Json; secrets?: string[]; rounds?: Parameters<typeof stagedModel> } = {},
  ) {
    const clock = manualClock();
    const platform = createFakePlatform({ directs: true, now: clock.now });
    platform.deciding.operator.push(away("olga"), away("pat"));
    for (const where of shown) await platform.post(where, card);
    const events = [...stored(clock.now() + 900_000, input), ...noted];
    const log = await logLeftBehind(turnId, events, clock, { author: ben });
    return askingBot({ platform, clock, log, ...more }, rounds);
  }

  it.each<[string, Place[], TurnEventBody[]]>([
    ["nothing was posted", [], []],
    ["the card stands in the channel", [place], []],
    ["one of two was written to", [place, dm("olga")], []],
    [
      "and that was noted",
      [place, dm("olga")],
      [
        { type: "message_posted", purpose: "approval", part: 0, reference: "m1" },
        {
          ...{ type: "approval_shown", approval_id: `${turnId}:1` },
          ...{ person: "olga", place: dm("olga"), reference: "m2" },
        },
      ],
    ],
    ["everybody was written to", [place, dm("olga"), dm("pat")], []],
  ])("each card appears once after a crash: %s", async (_what, shown, noted) => {
    const { platform, reach, press } = await afterCrash(shown, noted);
    await reach(turnId, "turn_waiting");
    expect(cards(platform).map((each) => each.place.namespace)).toEqual([
      ...[place.namespace, dm("olga").namespace, dm("pat").namespace],
    ]);
    await press(inDirect(platform, "pat"), "Refuse", "pat");
    await reach(turnId, "turn_finished");
    for (const { message } of cards(platform)) expect(message.markdown).toMatch(/\*\*pat\*\* refused\.$/);
    expect(cards(platform)).toHaveLength(3);
  });

  it("a value that has become a secret appears neither on a card nor in the file with its arguments after a crash", async () => {
    const input = { text: `the key is tulip-4711. ${"More words. ".repeat(2_000)}` };
    const { platform, reach } = await afterCrash([], [], { input, secrets: ["tulip-4711"] });
    await reach(turnId, "turn_waiting");
    const shown = cards(platform).map(({ message }) => message);
    expect(shown).toHaveLength(3);
    for (const { markdown, files = [] } of shown) {
      expect(files).toHaveLength(1);
      const whole = new TextDecoder().decode(files[0]?.data);
      expect([markdown, whole]).toEqual([
        expect.stringContaining("the key is \\[secret\\]"),
        expect.stringContaining("the key is [secret]"),
      ]);
    }
  });

  it("a card that was decided before a crash is closed while the turn waits for the next decision", async () => {
    const decided = { type: "approval_decided", approval_id: `${turnId}:1`, approved: true } as const;
    const noted: TurnEventBody[] = [
      { type: "message_posted", purpose: "approval", part: 0, reference: "m1" },
      { ...decided, by: "pat" },
    ];
    const { platform, reach } = await afterCrash([place], noted, { rounds: [[{ call: "send" }], ["Done."]] });
    await reach(turnId, "turn_waiting");
    const inPlace = cards(platform).filter((each) => each.place.namespace === place.namespace);
    expect(inPlace.map(({ message }) => message.buttons?.length ?? 0)).toEqual([0, expect.any(Number)]);
    expect(inPlace[0]?.message.markdown).toMatch(/\*\*pat\*\* approved\.$/);
  });

  it("a card that nobody recorded is closed after a crash even if it was decided in between", async () => {
    const { platform, log, clock, reach } = await afterCrash([place, dm("olga")], []);
    const decision = { type: "approval", approval_id: `${turnId}:1`, approved: false, by: "pat" } as const;
    await log.signal(turnId, decision, clock.now());
    await reach(turnId, "turn_finished");
    expect(cards(platform)).toHaveLength(2);
    for (const { message } of cards(platform)) expect(message.markdown).toMatch(/\*\*pat\*\* refused\.$/);
  });
});

describe("an approval that nobody decided", () => {
  it("an approval that nobody decided says so, and its asker may have it run again with one press", async () => {
    const rounds = [[{ call: "send" }], ["Not sent."], ["Once more."]];
    const { platform, ask, reach, press, app } = askingBot(
      { limits: { question_ms: 5_000, approval_ms: 5_000 } },
      rounds,
    );
    platform.deciding.operator.push(away("pat"));
    const turnId = await ask("send it", { author: ben });
    await reach(turnId, "turn_finished");
    const card = inChannel(platform);
    expect(card?.message.markdown).toMatch(/Nobody decided in time: it was not run\.\*$/);
    expect(card?.message.buttons).toEqual([{ id: `again:${turnId}`, label: "Run again" }]);
    expect(inDirect(platform, "pat")?.message.markdown).toContain("Nobody decided in time");
    expect(inDirect(platform, "pat")?.message.buttons).toBeUndefined();
    await press(card, "Run again", "ben");
    const turns = await app.turns({ namespace: place.namespace });
    expect(turns.map(({ text }) => text)).toEqual(["send it", "send it"]);
  });
});

describe("the cards of a turn that is deleted", () => {
  it("the cards of a deleted turn are deleted in direct messages, too", async () => {
    const { platform, ask, reach, press, app } = askingBot();
    platform.deciding.operator.push(away("pat"));
    const turnId = await ask("send it", { author: ben });
    await reach(turnId, "turn_waiting");
    await press(inDirect(platform, "pat"), "Refuse", "pat");
    await reach(turnId, "turn_finished");
    await forgetTurn(app, turnId, ada);
    expect(cards(platform)).toEqual([]);
  });
});
