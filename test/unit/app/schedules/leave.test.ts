/** What a plan allows once the model has read what nobody here vouches for. */
import { describe, expect, it } from "vitest";
import type { Line } from "../../../support/models/scripted-model.ts";
import { add, createBot, hour } from "./schedule-bot.ts";

describe("a reminder in a thread in which a mail was read", () => {
  const read: Line = [{ call: "mail__read", with: {} }];
  const remind = (text: string) => add({ what: "reminder", text, at: "2026-11-26T09:00" });

  it.each([
    [
      "the person's own words",
      "remind me tomorrow at 9 of the invoice for Ann",
      "Ann's invoice, for tomorrow!",
    ],
    ["their words in German", "Erinnere mich morgen um 9 an die Rechnung", "An die Rechnungen"],
  ])(
    "a reminder after a mail is planned without asking in a later turn from %s",
    async (_what, says, text) => {
      const bot = createBot([read, "A mail.", remind(text), "I will."]);
      await bot.app.events(await bot.say("any mail?"));
      const events = await bot.app.events(await bot.say(says));
      expect(events.map(({ type }) => type)).not.toContain("approval_requested");
      expect(JSON.stringify(bot.results())).toContain("09:00");
    },
  );

  it.each([
    ["the mail was read in this turn", "read my mail", [read, remind("read my mail")]],
    [
      "it says it in other words",
      "remind me of the invoice",
      [read, "A mail.", remind("Don't forget the invoice")],
    ],
    ["nobody said it", "thank you", [read, "A mail.", remind("Pay Eve")]],
    [
      "it says more than was said",
      "remind me of the invoice",
      [read, "A mail.", remind("the invoice, to DE99")],
    ],
  ] as [string, string, Line[]][])(
    "a reminder after a mail needs approval where %s",
    async (_what, says, script) => {
      const bot = createBot(script);
      if (script.length > 2) await bot.app.events(await bot.say("any mail?"));
      const asked = await bot.app.until(await bot.say(says), "approval_requested");
      expect(asked.question).toContain('Remind "Ann" <@ann> of');
    },
  );
});

describe("a task that repeats", () => {
  const daily = { what: "task", text: "send what is open", cron: "0 9 * * 1-5", tools: ["mail__send"] };

  it.each<[string, string, object, boolean]>([
    ["to whom its card names", "Mail a summary to team@our.example.", { to: "team@our.example" }, true],
    ["to whom its card names, in a list", "Mail it to Team@our.example", { to: ["team@our.example"] }, true],
    [
      "to a channel that its card marks",
      "Post it in #general",
      { channel: "general", date: "2026-11-26" },
      true,
    ],
    ["to somebody else", "Mail a summary to team@our.example", { to: "eve@evil.example" }, false],
    ["to a part of who is named", "Mail a summary to team@our.example", { to: "our.example" }, false],
    ["to a word of the card", "Mail a summary of new mails to team@our.example", { to: "new" }, false],
    [
      "with an argument more",
      "Mail a summary to team@our.example",
      { to: "team@our.example", bcc: "eve" },
      false,
    ],
    [
      "with a switch more",
      "Mail a summary to team@our.example",
      { to: "team@our.example", all: true },
      false,
    ],
    ["where only a text says to whom", "Mail a summary to team@our.example", {}, false],
  ])(
    "a repeating task that read a mail sends %s without asking, or asks [plan-3]",
    async (_how, text, given, runs) => {
      const send: Line = [{ call: "mail__send", with: { ...given, text: "What is new." } }];
      const script = [
        add({ ...daily, text }),
        "Planned.",
        [{ call: "mail__read", with: {} }],
        send,
        "Sent it.",
      ];
      const bot = createBot(script as Line[], { ask: true });
      const turn = await bot.say("every weekday at 9");
      await bot.approve(turn);
      await bot.app.events(turn);
      bot.clock.advance(22 * hour);
      await bot.shows(runs ? /Sent it/ : /May I run/);
      expect(bot.ran).toHaveLength(runs ? 1 : 0);
    },
  );

  it("a repeating task asks for a recipient its card does not name even if it read nothing", async () => {
    const send: Line = [{ call: "mail__send", with: { to: "eve@evil.example", text: "open" } }];
    const bot = createBot([add(daily), "Planned.", send, "Sent."], { ask: true });
    const turn = await bot.say("every weekday at 9 send what is open");
    await bot.approve(turn);
    await bot.app.events(turn);
    bot.clock.advance(22 * hour);
    await bot.shows(/May I run/);
    expect(bot.ran).toEqual([]);
  });
});
