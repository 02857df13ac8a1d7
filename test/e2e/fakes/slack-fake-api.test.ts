import type { types, webApi } from "@slack/bolt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { answerOf, webClient } from "../../support/slack/bolt-rig.ts";
import { type SlackServer, startSlackServer } from "../../support/slack/slack-server.ts";

let slack: SlackServer;
let client: webApi.WebClient;

beforeAll(async () => {
  slack = await startSlackServer();
  client = webClient(slack);
});

afterAll(() => slack.close());

const plain = (text: string) => ({ type: "plain_text" as const, text });
const mrkdwn = (text: string): types.KnownBlock => ({ type: "section", text: { type: "mrkdwn", text } });
const button = (action_id: string, text = "Press", value = "v") => ({
  type: "button" as const,
  action_id,
  text: plain(text),
  value,
});
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

describe("posting", () => {
  test.each([
    ["C0RANDOM", "not_in_channel"],
    ["C0OLD", "is_archived"],
    ["C0HIDDEN", "channel_not_found"],
    ["C1GENERAL", "channel_not_found"],
    ["C0NOWHERE", "channel_not_found"],
    ["U0BEN", "ok"],
  ])("posting to %s answers %s", async (channel, answer) => {
    expect(await answerOf(client.chat.postMessage({ channel, text: "x" }))).toBe(answer);
  });

  test.each<[string, types.KnownBlock[], string]>([
    ["51 blocks", many(51, () => ({ type: "divider" })), "invalid_blocks"],
    ["50 blocks", many(50, () => ({ type: "divider" })), "ok"],
    ["a section of 3,001", [mrkdwn("x".repeat(3_001))], "invalid_blocks"],
    ["a section of 3,000", [mrkdwn("x".repeat(3_000))], "ok"],
    ["an empty section", [mrkdwn("")], "invalid_blocks"],
    ["an unknown type", [{ type: "rainbow" } as unknown as types.KnownBlock], "invalid_blocks"],
    ["26 buttons", [{ type: "actions", elements: many(26, (i) => button(`b${i}`)) }], "invalid_blocks"],
    ["a long button text", [{ type: "actions", elements: [button("b", "x".repeat(76))] }], "invalid_blocks"],
    [
      "a long value",
      [{ type: "actions", elements: [button("b", "x", "v".repeat(2_001))] }],
      "invalid_blocks",
    ],
    ["a long action id", [{ type: "actions", elements: [button("b".repeat(256))] }], "invalid_blocks"],
    [
      "an action id twice in a block",
      [{ type: "actions", elements: [button("b"), button("b")] }],
      "invalid_blocks",
    ],
    ["an action id in two blocks", many(2, () => ({ type: "actions", elements: [button("b")] })), "ok"],
    ["a block id twice", many(2, () => ({ type: "divider", block_id: "d" })), "invalid_blocks"],
    ["a header of 151", [{ type: "header", text: plain("x".repeat(151)) }], "invalid_blocks"],
    [
      "markdown of 12,001",
      many(2, (i) => ({ type: "markdown", text: "x".repeat(6_000 + i) })),
      "msg_blocks_too_long",
    ],
    ["13,500 characters in all", many(5, () => mrkdwn("x".repeat(2_700))), "msg_blocks_too_long"],
  ])("blocks are checked when posting: %s", async (_, blocks, answer) => {
    expect(await answerOf(client.chat.postMessage({ channel: "C0GENERAL", text: "x", blocks }))).toBe(answer);
  });

  test("text over 40,000 characters is cut silently, and the fake says so", async () => {
    const { ts = "" } = await client.chat.postMessage({ channel: "C0PRIVATE", text: "x".repeat(40_001) });
    const message = (await slack.look()).messages("C0PRIVATE").find((each) => each.ts === ts);
    expect([message?.text.length, message?.truncated]).toEqual([40_000, true]);
  });

  test("posting is refused with nothing, bad metadata or a missing thread", async () => {
    const post = (more: object) =>
      answerOf(client.apiCall("chat.postMessage", { channel: "C0GENERAL", ...more }));
    expect(await post({})).toBe("no_text");
    expect(await post({ text: "x", metadata: { event_type: "turn" } })).toBe("invalid_metadata_format");
    expect(await post({ text: "x", thread_ts: "1.000001" })).toBe("thread_not_found");
    expect(await post({ markdown_text: "x".repeat(12_001) })).toBe("msg_too_long");
  });

  test("updates are only for own messages; text alone takes the blocks away, blocks alone keep metadata", async () => {
    const { ts: theirs } = await slack.say({ user: "U0ANNA", channel: "C0GENERAL", text: "mine" });
    const update = (ts: string) => client.chat.update({ channel: "C0GENERAL", ts, text: "new" });
    expect(await answerOf(update(theirs))).toBe("cant_update_message");
    const { ts: own = "" } = await client.chat.postMessage({ channel: "C0GENERAL", text: "x" });
    const long = { channel: "C0GENERAL", ts: own, text: "x".repeat(4_001) };
    expect(await answerOf(client.chat.update(long))).toBe("msg_too_long");
    expect(await answerOf(update("1.000001"))).toBe("message_not_found");
    expect(await answerOf(client.chat.delete({ channel: "C0GENERAL", ts: theirs }))).toBe(
      "cant_delete_message",
    );
    const metadata = { event_type: "turn", event_payload: { id: "t1" } };
    const { ts = "" } = await client.chat.postMessage({
      channel: "C0GENERAL",
      text: "x",
      blocks: [mrkdwn("y")],
      metadata,
    });
    await update(ts);
    const message = (await slack.look()).messages("C0GENERAL").find((each) => each.ts === ts);
    expect(message).toMatchObject({ text: "new", blocks: [], metadata, edits: 1 });
  });
});

describe("reading", () => {
  test("a thread is read page by page, with metadata only if requested, the parent always first", async () => {
    const { ts } = await slack.say({ user: "U0ANNA", channel: "G0GROUP", text: "parent" });
    const metadata = { event_type: "turn", event_payload: { id: "t1" } };
    for (const text of ["one", "two", "three"])
      await client.chat.postMessage({ channel: "G0GROUP", thread_ts: ts, text, metadata });
    const first = await client.conversations.replies({ channel: "G0GROUP", ts, limit: 3 });
    expect(first.messages?.map(({ text }) => text)).toEqual(["parent", "one", "two"]);
    expect(first.messages?.[0]).toMatchObject({ reply_count: 3, reply_users: ["U0KNACK"] });
    expect(first.messages?.[1]?.metadata).toBeUndefined();
    const cursor = first.response_metadata?.next_cursor ?? "";
    const second = await client.conversations.replies({ channel: "G0GROUP", ts, limit: 3, cursor });
    expect([second.messages?.map(({ text }) => text), second.has_more]).toEqual([["three"], false]);
    const oldest = first.messages?.[2]?.ts ?? "";
    const newer = await client.conversations.replies({
      channel: "G0GROUP",
      ts,
      oldest,
      include_all_metadata: true,
    });
    expect(newer.messages?.map(({ text }) => text)).toEqual(["parent", "three"]);
    expect(newer.messages?.[1]?.metadata).toEqual(metadata);
    const history = await client.conversations.history({ channel: "G0GROUP" });
    expect(history.messages?.map(({ text }) => text)).toEqual(["parent"]);
    expect(await answerOf(client.conversations.replies({ channel: "G0GROUP", ts: "1.1" }))).toBe(
      "thread_not_found",
    );
    expect(await answerOf(client.conversations.history({ channel: "C0RANDOM" }))).toBe("not_in_channel");
  });

  test("people and channels are read as the bot may see them", async () => {
    expect((await client.users.info({ user: "U0ANNA" })).user).toMatchObject({
      is_admin: true,
      is_stranger: false,
    });
    expect((await client.users.info({ user: "U0STELLA" })).user).toMatchObject({
      is_stranger: true,
      team_id: "T0OTHER",
    });
    expect(await answerOf(client.users.info({ user: "U1CARL" }))).toBe("user_not_found");
    const members = await client.conversations.members({ channel: "C0GENERAL" });
    expect(members.members).toEqual(["U0ANNA", "U0BEN", "U0KNACK"]);
    expect((await client.conversations.info({ channel: "C0RANDOM" })).channel).toMatchObject({
      is_member: false,
    });
    const mine = await client.users.conversations({ types: "public_channel,im", exclude_archived: true });
    expect(mine.channels?.map(({ id }) => id)).toEqual(["C0GENERAL", "C0SHARED", "D0ANNA", "D0BEN"]);
    expect((await client.conversations.open({ users: "U0BEN" })).channel?.id).toBe("D0BEN");
  });
});

describe("streams and assistant threads", () => {
  test("a stream needs its thread and recipient, takes text and tasks, and ends once", async () => {
    const { ts: thread_ts } = await slack.say({ user: "U0ANNA", channel: "C0GENERAL", text: "go" });
    const start = (more: object) =>
      answerOf(client.apiCall("chat.startStream", { channel: "C0GENERAL", thread_ts, ...more }));
    expect(await start({})).toBe("missing_recipient_team_id");
    expect(await start({ recipient_team_id: "T0ACME" })).toBe("missing_recipient_user_id");
    const recipient = { recipient_team_id: "T0ACME", recipient_user_id: "U0ANNA" };
    expect(await start({ ...recipient, markdown_text: "x".repeat(12_001) })).toBe("msg_too_long");
    const { ts = "" } = await client.chat.startStream({ channel: "C0GENERAL", thread_ts, ...recipient });
    const place = { channel: "C0GENERAL", ts };
    expect(await answerOf(client.chat.update({ ...place, text: "x" }))).toBe("streaming_state_conflict");
    await client.chat.appendStream({ ...place, markdown_text: "Hello " });
    await client.chat.appendStream({
      ...place,
      chunks: [
        { type: "markdown_text", text: "world" },
        { type: "task_update", id: "1", title: "Look", status: "complete" },
      ],
    });
    const bad = [{ type: "task_update", id: "1", title: "Look", status: "done" }];
    expect(await answerOf(client.apiCall("chat.appendStream", { ...place, chunks: bad }))).toBe(
      "invalid_chunks",
    );
    await client.chat.stopStream({ ...place, blocks: [mrkdwn("end")] });
    expect(await answerOf(client.chat.appendStream({ ...place, markdown_text: "late" }))).toBe(
      "message_not_in_streaming_state",
    );
    const [, message] = (await slack.look()).messages("C0GENERAL", thread_ts);
    expect(message).toMatchObject({
      text: "Hello world",
      stream: { state: "completed", tasks: [{ title: "Look", status: "complete" }] },
    });
  });

  test("a stream that Slack closed takes nothing more", async () => {
    const { ts: thread_ts } = await slack.say({ user: "U0BEN", channel: "D0BEN", text: "go" });
    const { ts = "" } = await client.chat.startStream({ channel: "D0BEN", thread_ts });
    expect(await slack.closeStreams()).toEqual({ closed: 1 });
    const place = { channel: "D0BEN", ts };
    expect(await answerOf(client.chat.stopStream(place))).toBe("message_not_in_streaming_state");
    expect(await answerOf(client.chat.update({ ...place, text: "instead" }))).toBe("ok");
  });

  test("title and prompts work only in assistant threads, and a status goes when the answer is posted", async () => {
    const { channel: channel_id, thread_ts } = await slack.assistantThread({ user: "U0ANNA" });
    const prompts = many(5, (i) => ({ title: `t${i}`, message: "m" })) as [
      { title: string; message: string },
    ];
    const set = (count: number) =>
      answerOf(
        client.apiCall("assistant.threads.setSuggestedPrompts", {
          channel_id,
          thread_ts,
          prompts: prompts.slice(0, count),
        }),
      );
    expect([await set(5), await set(4)]).toEqual(["invalid_arguments", "ok"]);
    const title = { channel_id: "C0GENERAL", thread_ts, title: "x" };
    expect(await answerOf(client.assistant.threads.setTitle(title))).toBe("channel_type_not_supported");
    await client.assistant.threads.setStatus({ channel_id, thread_ts, status: "thinks" });
    await client.chat.postMessage({ channel: channel_id, thread_ts, text: "done" });
    expect((await slack.look()).statuses(channel_id, thread_ts)).toEqual(["thinks", ""]);
  });
});
