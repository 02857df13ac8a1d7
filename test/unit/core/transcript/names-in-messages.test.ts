import { expect, it } from "vitest";
import { userMessage } from "../../../../src/core/transcript/user-message.ts";
import { mentioned } from "../../../../src/core/values/label.ts";
import { placeLine } from "../../../../src/core/values/place.ts";
import { factLine } from "../../../../src/core/values/profile.ts";
import { createSaidLine } from "../../../../src/core/values/said-line.ts";
import { exceptions } from "../../../support/families/family.ts";
import { anyName } from "../../../support/families/names.ts";

const saidLine = createSaidLine();
const at = Date.UTC(2026, 10, 22, 13, 20);
const id = "U6EVE";
const channel = "slack:T0:C6EVE";

/** Everything a model and a card get of one name, in one text. */
function shown(name: string): string {
  const line = saidLine({ at, time_zone: "UTC", name, id });
  const message = userMessage("Hello.", {
    line,
    mentions: [
      { id, name, kind: "person" },
      { id: "S6EVE", name, kind: "group" },
    ],
    looking_at: [{ channel, name }],
    context: {
      thread: [{ by: name, author: id, text: "Lunch?", at, outside: true }],
      files: [{ name: "a.txt", media_type: "text/plain", bytes: 1, by: name, author: id, text: "At one." }],
    },
  });
  const place = { platform: "Slack", kind: "channel", id: channel, name } as const;
  const direct = { platform: "Slack", kind: "direct_message", id: channel } as const;
  return [
    message.text,
    placeLine(place, { bot: "Knack" }),
    placeLine(direct, { bot: "Knack", person: { name, id } }),
    factLine({ text: "Lunch is at one.", by: name }),
    mentioned(name, id),
  ].join("\n");
}

const label = String.raw`(?=[^"\n]{1,40}")[\p{L}\p{M}\p{Nd}\-_.' ]*…?`;
const template = new RegExp(
  [
    String.raw`^\[Sun 2026-11-22 13:20 UTC\] "${label}" \(${id}\):`,
    String.raw`\[mentioned: "${label}" is <@${id}>; "${label}" is <@&S6EVE>\]`,
    String.raw`\[the person has open: "${label}" \(${channel}\)\]`,
    "<thread_so_far>",
    String.raw`<thread_message from="(?=[^"\n]{1,55}")[\p{L}\p{M}\p{Nd}\-_.' ]*…? \(from outside\)" from_id="${id}" at="2026-11-22 13:20 UTC">Lunch\?</thread_message>`,
    "</thread_so_far>",
    `<attached_file name="a.txt" type="text/plain" from="${label}" from_id="${id}">`,
    String.raw`At one\.`,
    "</attached_file>",
    "",
    String.raw`Hello\.`,
    String.raw`the channel "${label}" \(${channel}\) on Slack`,
    String.raw`a direct message with "${label}" \(${id}\) on Slack`,
    String.raw`<fact from="${label}">Lunch is at one\.</fact>`,
    `"${label}" <@${id}>$`,
  ].join("\n"),
  "u",
);

it("names in messages, places, facts and on cards are labels whatever they are made of, with the id beside them [name-1]", async () => {
  const isVisible = /[^\s\p{DI}]/u;
  expect(await exceptions(anyName, (name) => !isVisible.test(name) || template.test(shown(name)))).toEqual(
    [],
  );
});
