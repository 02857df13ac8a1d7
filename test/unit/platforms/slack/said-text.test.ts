import { expect, test } from "vitest";
import { changedEventSchema, messageEventSchema } from "../../../../src/platforms/slack/message-event.ts";
import { parseEdit, parseMessage } from "../../../../src/platforms/slack/parse-message.ts";
import { saidText } from "../../../../src/platforms/slack/said-text.ts";

const self = { team: "T1", self: "U0KNACK", bot: "B0KNACK", direct: "threads" as const };
const noName = async () => undefined;
const names = { person: noName, channel: noName, group: noName };
const where = { channel: "C1", channel_type: "channel" };
const preview = {
  id: 1,
  from_url: "https://a.example",
  fallback: "Example",
  title: "Example",
  text: "Words",
};
const message = (more: object) =>
  messageEventSchema.parse({ type: "message", user: "U1", ts: "1.2", ...where, ...more });

test("what an app attached to its message is read", () => {
  const alert = message({
    text: "",
    attachments: [
      {
        color: "danger",
        pretext: "Production",
        title: "Error rate is 7 %",
        text: "since 9:12",
        fields: [{ title: "Service", value: "checkout", short: true }],
        fallback: "An alert",
      },
      {
        fallback: "[no preview available]",
        blocks: [
          { type: "header", text: { type: "plain_text", text: "Build 12" } },
          { type: "section", fields: [{ type: "mrkdwn", text: "*failed*" }], accessory: { type: "image" } },
          { type: "context", elements: [{ type: "mrkdwn", text: "main" }] },
          { type: "actions", elements: [{ type: "button", text: { type: "plain_text", text: "Retry" } }] },
        ],
      },
      { fallback: "[no preview available]" },
      { fallback: "Only a summary" },
    ],
  });

  expect(saidText(alert)).toBe(
    [
      ...["> Production", "> Error rate is 7 %", "> since 9:12", "> Service: checkout", "> "],
      ...["> Build 12", "> *failed*", "> main", "> ", "> Only a summary"],
    ].join("\n"),
  );
});

test("a forwarded message is read as a quote, and neither calls the bot nor commands it", async () => {
  const forwarded = {
    ...preview,
    is_share: true,
    is_msg_unfurl: true,
    author_name: "Anna",
    title: undefined,
  };
  const share = (text: string) =>
    parseMessage(
      message({ text, attachments: [{ ...forwarded, text: "<@U0KNACK> stop" }] }),
      where,
      self,
      names,
    );
  expect(await share("look")).toMatchObject({ text: "look\n\n> Anna:\n> stop", addressed: "none" });
  expect(await share("<@U0KNACK>")).toMatchObject({ text: "> Anna:\n> stop", addressed: "mention" });
});

test("a preview of a link changes nothing of what was said", async () => {
  const before = message({ text: "see <https://a.example>" });
  const { message: after } = changedEventSchema.parse({
    ...where,
    ts: "1.3",
    message: { ...before, attachments: [preview] },
  });
  const edit = await parseEdit(after, "1.3", where, self, names);
  expect(edit?.text).toBe((await parseMessage(before, where, self, names))?.text);
});

test("attachments of a shape that nobody knows do not lose the message, and long ones are cut", () => {
  expect(saidText(message({ text: "hi", attachments: [{ fields: "odd", blocks: [3] }] }))).toBe("hi");
  expect(saidText(message({ text: "hi", attachments: "odd" }))).toBe("hi");
  const long = saidText(message({ text: "hi", attachments: [{ text: "x".repeat(50_000) }] }));
  expect(long.length).toBeLessThan(8_100);
});
