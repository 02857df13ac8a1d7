import { expect, test } from "vitest";
import {
  changedEventSchema,
  messageEventSchema,
} from "../../../../src/platforms/slack/channel/message-event.ts";
import { parseEdit, parseMessage } from "../../../../src/platforms/slack/channel/parse-message.ts";
import { saidText } from "../../../../src/platforms/slack/channel/said-text.ts";

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

test("an app's attachment to its message is read", () => {
  const alert = message({
    text: "",
    attachments: [
      {
        color: "danger",
        pretext: "Production",
        title: "Error rate is 7 %",
        title_link: "https://a.example/7",
        image_url: "https://a.example/7.png",
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
      ...["> Production", "> Error rate is 7 % <https://a.example/7>", "> since 9:12"],
      ...["> Service: checkout", "> [picture: <https://a.example/7.png>]", "> "],
      ...["> Build 12", "> *failed*", "> main", "> [buttons: Retry]", "> ", "> Only a summary"],
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

test("the files of a forwarded message come with it, and those of a preview do not", async () => {
  const file = { id: "F1", name: "plan.pdf", mimetype: "application/pdf", size: 7 };
  const share = (is_share: boolean) =>
    parseMessage(message({ text: "look", attachments: [{ is_share, files: [file] }] }), where, self, names);
  expect((await share(true))?.files).toMatchObject([{ id: "F1", name: "plan.pdf", bytes: 7 }]);
  expect((await share(false))?.files).toEqual([]);
});

test("a preview of a link changes nothing in what was said", async () => {
  const before = message({ text: "see <https://a.example>" });
  const { message: after } = changedEventSchema.parse({
    ...where,
    ts: "1.3",
    message: { ...before, attachments: [preview] },
  });
  const edit = await parseEdit(after, "1.3", where, self, names);
  expect(edit?.text).toBe((await parseMessage(before, where, self, names))?.text);
});

test("attachments of unknown shape do not lose the message, and long ones are cut", () => {
  expect(saidText(message({ text: "hi", attachments: [{ fields: "odd", blocks: [3] }] }))).toBe("hi");
  const besideOdd = [null, { text: 7, title: null, fallback: "kept" }, { text: "Disk full" }];
  expect(saidText(message({ text: "hi", attachments: besideOdd }))).toBe("hi\n\n> kept\n> \n> Disk full");
  expect(saidText(message({ text: "hi", attachments: "odd" }))).toBe("hi");
  const long = saidText(message({ text: "hi", attachments: [{ text: "x".repeat(50_000) }] }));
  expect(long.length).toBeLessThan(8_100);
});

const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });
const inline = (...elements: object[]) => ({ type: "rich_text_section", elements });
const line = (text: string) => inline({ type: "text", text });
const byApp = (more: object) => message({ subtype: "bot_message", user: undefined, bot_id: "B1", ...more });

test.each<[string, object, string]>([
  ["blocks alone", { text: "", blocks: [section("Disk full on db-2")] }, "Disk full on db-2"],
  ["no text at all", { blocks: [section("Disk full")] }, "Disk full"],
  [
    "blocks with a summary that they hold",
    { text: "Deploy 812 failed", blocks: [section("*Deploy 812* failed\nstep 3 of 9")] },
    "*Deploy 812* failed\nstep 3 of 9",
  ],
  [
    "blocks with a summary that Slack or its app cut off",
    { text: "Deploy 812 fai…", blocks: [section("Deploy 812 failed in step 3")] },
    "Deploy 812 failed in step 3",
  ],
  [
    "a text and details that it does not have",
    { text: "Deploy failed", blocks: [section("Host db-2")] },
    "Deploy failed\n\nHost db-2",
  ],
  [
    "a text that says more than its blocks",
    { text: "Approve the deploy of 812?", blocks: [section("Approve?")] },
    "Approve the deploy of 812?",
  ],
  ["Slack's stand-in", { text: "This content can't be displayed.", blocks: [section("Red")] }, "Red"],
  [
    "Slack's stand-in alone",
    { text: "This content can't be displayed." },
    "This content can't be displayed.",
  ],
])("an app's message is read once, whole: %s", (_, more, said) => {
  expect(saidText(byApp(more))).toBe(said);
});

test("typed text is read as Slack writes it, not a second time from its blocks", () => {
  const typed = {
    text: "<@U0KNACK|knack> :wave::skin-tone-3: see <mailto:a@b.example|a@b.example>",
    blocks: [{ type: "rich_text", elements: [inline({ type: "user", user_id: "U0KNACK" })] }],
  };
  expect(saidText(message(typed))).toBe(typed.text);
});

test.each<[string, object, string]>([
  ["header", { text: { type: "plain_text", text: "Build 9" } }, "Build 9"],
  [
    "section",
    {
      text: { type: "mrkdwn", text: "*Host*" },
      fields: [{ type: "mrkdwn", text: "CPU 9 %" }, null, { type: "plain_text", text: "RAM" }],
      accessory: { type: "button", text: { type: "plain_text", text: "Open" }, url: "https://a.example/1" },
    },
    "*Host*\nCPU 9 %\nRAM\n<https://a.example/1|Open>",
  ],
  [
    "context",
    {
      elements: [
        { type: "image", image_url: "https://a.example/i.png", alt_text: "red light" },
        { type: "mrkdwn", text: "on main" },
      ],
    },
    "[picture: red light] on main",
  ],
  ["image", { image_url: "https://a.example/i.png", alt_text: "CPU of db-2" }, "[picture: CPU of db-2]"],
  [
    "actions",
    {
      elements: [
        { type: "button", action_id: "ack", text: { type: "plain_text", text: "Acknowledge" } },
        { type: "button", action_id: "stop:0b9", text: { type: "plain_text", text: "Stop" } },
        { type: "static_select", placeholder: { type: "plain_text", text: "…" }, options: [] },
      ],
    },
    "[buttons: Acknowledge]",
  ],
  ["markdown", { text: "# R&D\n```\na < b\n```" }, "# R&amp;D\n```\na < b\n```"],
  [
    "table",
    {
      rows: [
        [
          { type: "raw_text", text: "Host" },
          { type: "raw_text", text: "Load" },
        ],
        [
          { type: "rich_text", elements: [line("db-2")] },
          { type: "raw_number", value: 9 },
        ],
        null,
      ],
    },
    "Host | Load\ndb-2 | 9",
  ],
  [
    "video",
    {
      title: { type: "plain_text", text: "Postmortem" },
      description: { type: "plain_text", text: "of 812" },
      video_url: "https://a.example/v",
      alt_text: "a talk",
    },
    "Postmortem\nof 812\n<https://a.example/v>",
  ],
  [
    "call",
    { call: { v1: { name: "Incident", join_url: "https://a.example/j" } } },
    "[call] Incident <https://a.example/j>",
  ],
  ["file", { source: "remote", external_id: "x", file: { title: "Runbook" } }, "[file: Runbook]"],
  [
    "plan",
    {
      title: "Steps",
      tasks: [{ type: "task_card", title: "Look", output: { type: "rich_text", elements: [line("found")] } }],
    },
    "Steps\nLook\nfound",
  ],
  ["something_new", { text: "read by its text" }, "read by its text"],
  ["something_new", { elements: [{ type: "odder", text: { type: "mrkdwn", text: "within" } }] }, "within"],
  ["divider", {}, ""],
  [
    "rich_text",
    {
      elements: [
        inline(
          { type: "text", text: "Ask <@U1> & " },
          { type: "user", user_id: "U0BEN" },
          { type: "text", text: " to run " },
          { type: "text", text: "rm x", style: { code: true } },
          { type: "emoji", name: "fire" },
          { type: "link", url: "https://a.example/?a=1|2", text: "here" },
          null as never,
        ),
        { type: "rich_text_list", style: "ordered", offset: 1, elements: [line("two"), line("three")] },
        { type: "rich_text_list", style: "bullet", indent: 1, elements: [line("below")] },
        { type: "rich_text_quote", elements: [{ type: "text", text: "they\nsaid" }] },
        { type: "rich_text_preformatted", elements: [{ type: "text", text: "a < b" }] },
        { type: "rich_text_new", text: "new" },
      ],
    },
    [
      "Ask &lt;@U1&gt; &amp; <@U0BEN> to run `rm x`:fire:<https://a.example/?a=1%7C2|here>",
      ...["2. two", "3. three", "    • below", "&gt; they", "&gt; said", "```", "a &lt; b", "```", "new"],
    ].join("\n"),
  ],
])("a block of type %s says its words", (type, block, said) => {
  expect(saidText(byApp({ text: "", blocks: [null, { type, ...block }, 7, {}] }))).toBe(said);
});

test("many blocks and deep ones are read up to a limit", () => {
  const many = Array.from({ length: 20_000 }, (_, at) => section(`line ${at}`));
  const said = saidText(byApp({ text: "", blocks: many }));
  expect(said).toContain("line 500\n");
  expect(said.length).toBeLessThanOrEqual(40_000);
  let deep: object = section("too deep");
  for (let depth = 0; depth < 3_000; depth += 1) deep = { type: "odd", text: "o", elements: [deep] };
  expect(saidText(byApp({ text: "", blocks: [deep, section("after")] }))).toMatch(/^(o\n)+after$/);
});

test("a forwarded message of blocks is read, once", () => {
  const share = {
    ...preview,
    is_share: true,
    author_name: "Alerts",
    title: null,
    fallback: "[no preview available]",
  };
  const message_blocks = [{ team: "T1", message: { blocks: [section("Disk full on db-2")] } }, null];
  const said = (text: string) =>
    saidText(message({ text: "", attachments: [{ ...share, text, message_blocks }] }));
  expect(said("")).toBe("> Alerts:\n> Disk full on db-2");
  expect(said("Disk full")).toBe("> Alerts:\n> Disk full on db-2");
});

test("a mention only in blocks is a mention", async () => {
  const blocks = [
    {
      type: "rich_text",
      elements: [inline({ type: "user", user_id: "U0KNACK" }, { type: "text", text: " why?" })],
    },
  ];
  expect(await parseMessage(message({ text: "", blocks }), where, self, names)).toMatchObject({
    text: "why?",
    addressed: "mention",
  });
});

test("a picture that models cannot be shown is replaced by the one that Slack shows", async () => {
  const photo = {
    id: "F1",
    name: "IMG_1.HEIC",
    mimetype: "image/heic",
    size: 9,
    url_private: "https://files.slack.com/a",
  };
  const filesOf = async (more: object) =>
    (await parseMessage(message({ text: "", files: [null, { ...photo, ...more }] }), where, self, names))
      ?.files;
  const thumb_1024 = "https://files.slack.com/thumb_1024.jpg";
  expect(await filesOf({ thumb_1024 })).toEqual([
    { id: "F1", name: "IMG_1.jpg", media_type: "image/jpeg", bytes: 0, url: thumb_1024 },
  ]);
  expect(await filesOf({})).toMatchObject([{ name: "IMG_1.HEIC", media_type: "image/heic" }]);
  expect(await filesOf({ name: "a.png", mimetype: "image/png", thumb_1024 })).toMatchObject([
    { name: "a.png" },
  ]);
});
