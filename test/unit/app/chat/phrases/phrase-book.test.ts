import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createPhrases, languageOf, phrasesFor } from "../../../../../src/app/chat/phrases/phrase-book.ts";
import {
  type Approval,
  renderApproval,
  renderClosedApproval,
  renderDirectApproval,
  renderReminder,
} from "../../../../../src/app/chat/present/render-approval.ts";

const folder = join(import.meta.dirname, "../../../../../src/app/chat/phrases");
const catalogues = readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .map(
    (name) => [name, JSON.parse(readFileSync(join(folder, name), "utf8")) as Record<string, string>] as const,
  );
const messages = {
  de: "Schick Ben bitte, dass das Essen da ist",
  fr: "Dis à Ben que le repas est arrivé, s'il te plaît",
  es: "Dile a Ben que la comida ya está aquí, por favor",
};

describe("the language of a message", () => {
  it.each([
    [messages.de, "de"],
    [messages.fr, "fr"],
    [messages.es, "es"],
    ["lösch die Nachricht", "de"],
    ["Merk dir bitte: Releases sind freitags", "de"],
    ["tell Ben lunch is here", undefined],
    ["summarise since Monday", undefined],
    ["quote the invoice of Müller GmbH", undefined],
    ["deploy the payments service to production now", undefined],
    ["kan du sende det til Ben, takk?", undefined],
    ["Stuur dit naar Ben alsjeblieft", undefined],
    ["https://example.de/bitte/lesen @Käthe", undefined],
    ["👍", undefined],
    ["unasked-1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", undefined],
    ["Rechnung Müller", undefined],
    ["", undefined],
  ])("the language of a message is read where there are phrases for it: %s", async (message, language) => {
    expect(await languageOf(message)).toBe(language);
  });
});

describe("phrases", () => {
  const places = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([place]) => place).toSorted();

  it.each(catalogues)("phrases of %s are all there, with the same places", (_, catalogue) => {
    expect(Object.keys(catalogue)).toEqual(Object.keys(catalogues[0]?.[1] ?? {}));
    for (const [text, other] of Object.entries(catalogue)) expect(places(other), text).toEqual(places(text));
  });

  const say = createPhrases({
    "May I {deed}?": "Darf ich {deed}?",
    "send {name} a message": "{name} eine Nachricht senden",
    "{tool} asks.": "{tool} fragt.",
    Refuse: "Ablehnen",
  });

  it.each([
    ["Refuse", "Ablehnen"],
    ["May I send Ben a message?", "Darf ich Ben eine Nachricht senden?"],
    ["May I do this?", "Darf ich do this?"],
    ["mail asks. mail asks.", "mail fragt. mail fragt."],
    ["Nothing of this is known.", "Nothing of this is known."],
    ["May I ?", "May I ?"],
    ["", ""],
  ])("phrases keep what they do not know: %s", (text, other) => expect(say(text)).toBe(other));

  it("phrases take no long time for a long text", () => {
    const text = `May I send ${"a message? May I send ".repeat(20_000)}`;
    const from = performance.now();
    say(text);
    expect(performance.now() - from).toBeLessThan(2_000);
  });
});

const asked: Approval = {
  ...{ type: "approval_requested", approval_id: "a", call_id: "c", tool: "chat_send", skill_id: "chat" },
  input: { to: "#random", text: "Lunch is here." },
  says: { deed: "send a message to #random", quotes: "text", names: ["to"], edits: true },
  reason: "It will be read outside this channel, in your name.",
  approver: "asker",
  expires_at: 0,
};
const binds = { skill_id: "chat", tool: "chat_send", definition: "d", values: { to: "#random" } };
const mail = "Lunch is here. May I read your mail?";
const cards: [what: string, approval: Approval][] = [
  ["a message elsewhere", asked],
  [
    "a tool of a server, for good",
    { ...asked, says: undefined, tool: "close_deal", skill_id: "crm", input: { id: "7" }, binds },
  ],
  ["a script", { ...asked, says: { deed: "run the script “a.sh” of the skill “x”" }, approver: "operator" }],
  ["what somebody wrote", { ...asked, input: { to: "#random", text: mail } }],
  ["a lent account", { ...asked, person: { id: "U2", name: "Ben", for_answer: true } }],
];

describe.each(Object.entries(messages))(
  "the card of an approval for a message in %s",
  (language, message) => {
    it.each(cards)("the card has no English words of the bot: %s", async (_, approval) => {
      const say = await phrasesFor(message);
      const audience = { asker: { id: "U1", name: "Ann" }, isTheirs: true, deciders: [], say };
      const from = say("**Ann** asks in **#general**.");
      const end = say("**Ann** approved, with changes.");
      const shown = [
        renderApproval(approval, audience, 4_000),
        renderApproval(approval, { ...audience, isTheirs: false }, 4_000),
        renderReminder(approval, audience),
        renderDirectApproval(approval, { from, say }, 4_000),
        renderClosedApproval(approval, { end, from, say }, 4_000),
      ];
      const texts = shown.flatMap(({ markdown, timed, buttons = [] }) => [
        ...markdown.split("\n").filter((line) => !line.startsWith(">") && !line.startsWith("- ")),
        timed?.text ?? "",
        ...buttons.map(({ label }) => label),
      ]);
      expect(texts.join("\n")).not.toMatch(
        /\b(?:the|may|of|with|until|here|you|your|asks|approved|refused|always|never)\b/i,
      );
      expect(texts.join("\n")).toMatch({ de: /Darf ich/, fr: /Puis-je/, es: /¿Puedo/ }[language] ?? /./);
    });

    it("the card quotes what people wrote as it is", async () => {
      const say = await phrasesFor(message);
      const audience = { asker: { id: "U1", name: "Ann" }, isTheirs: true, deciders: [], say };
      const { markdown } = renderApproval(
        { ...asked, input: { to: "#random", text: mail } },
        audience,
        4_000,
      );
      expect(markdown).toContain(`> ${mail}`);
    });
  },
);
