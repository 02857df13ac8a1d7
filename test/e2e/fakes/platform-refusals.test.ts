import type { types, webApi } from "@slack/bolt";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type DiscordServer, startDiscordServer } from "../../support/discord/discord-server.ts";
import { exampleToken, ids } from "../../support/discord/example-world.ts";
import { answerOf, webClient } from "../../support/slack/bolt-rig.ts";
import { type SlackServer, startSlackServer } from "../../support/slack/slack-server.ts";

// Tests of the product rely on the stand-ins to refuse what the platforms refuse; what they accept is proved by those tests.

const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

describe("the stand-in for Slack", () => {
  let slack: SlackServer;
  let client: webApi.WebClient;

  beforeEach(async () => {
    slack = await startSlackServer();
    client = webClient(slack);
  });
  afterEach(() => slack.close());

  const plain = (text: string) => ({ type: "plain_text" as const, text });
  const mrkdwn = (text: string): types.KnownBlock => ({ type: "section", text: { type: "mrkdwn", text } });
  const button = (action_id: string, text = "Press", value = "v") => ({
    type: "button" as const,
    action_id,
    text: plain(text),
    value,
  });
  const actions = (...elements: ReturnType<typeof button>[]): types.KnownBlock[] => [
    { type: "actions", elements },
  ];

  test.each([
    ["C0RANDOM", "not_in_channel"],
    ["C0OLD", "is_archived"],
    ["C0HIDDEN", "channel_not_found"],
    ["C1GENERAL", "channel_not_found"],
    ["C0NOWHERE", "channel_not_found"],
  ])("refuses to post to %s: %s", async (channel, answer) => {
    expect(await answerOf(client.chat.postMessage({ channel, text: "x" }))).toBe(answer);
  });

  test.each<[string, types.KnownBlock[], string]>([
    ["51 blocks", many(51, () => ({ type: "divider" })), "invalid_blocks"],
    ["a section of 3,001", [mrkdwn("x".repeat(3_001))], "invalid_blocks"],
    ["an empty section", [mrkdwn("")], "invalid_blocks"],
    ["an unknown type", [{ type: "rainbow" } as unknown as types.KnownBlock], "invalid_blocks"],
    ["26 buttons", actions(...many(26, (i) => button(`b${i}`))), "invalid_blocks"],
    ["a long button text", actions(button("b", "x".repeat(76))), "invalid_blocks"],
    ["a long value", actions(button("b", "x", "v".repeat(2_001))), "invalid_blocks"],
    ["a long action id", actions(button("b".repeat(256))), "invalid_blocks"],
    ["an action id twice", actions(button("b"), button("b")), "invalid_blocks"],
    ["a block id twice", many(2, () => ({ type: "divider", block_id: "d" })), "invalid_blocks"],
    ["a header of 151", [{ type: "header", text: plain("x".repeat(151)) }], "invalid_blocks"],
    [
      "markdown of 12,001",
      many(2, (i) => ({ type: "markdown", text: "x".repeat(6_000 + i) })),
      "msg_blocks_too_long",
    ],
    ["13,500 characters in all", many(5, () => mrkdwn("x".repeat(2_700))), "msg_blocks_too_long"],
  ])("refuses %s", async (_, blocks, answer) => {
    expect(await answerOf(client.chat.postMessage({ channel: "C0GENERAL", text: "x", blocks }))).toBe(answer);
  });

  test.each<[string, string, object]>([
    ["no_text", "chat.postMessage", {}],
    ["invalid_metadata_format", "chat.postMessage", { text: "x", metadata: { event_type: "turn" } }],
    ["thread_not_found", "chat.postMessage", { text: "x", thread_ts: "1.000001" }],
    ["msg_too_long", "chat.postMessage", { markdown_text: "x".repeat(12_001) }],
    ["message_not_found", "chat.update", { ts: "1.000001", text: "x" }],
    ["unknown_method", "chat.shout", {}],
  ])("answers %s to %s", async (answer, method, more) => {
    expect(await answerOf(client.apiCall(method, { channel: "C0GENERAL", ...more }))).toBe(answer);
  });

  test("refuses to change or delete the messages of others, and to make its own too long", async () => {
    const { ts } = await slack.say({ user: "U0ANNA", channel: "C0GENERAL", text: "mine" });
    const theirs = { channel: "C0GENERAL", ts };
    expect(await answerOf(client.chat.update({ ...theirs, text: "new" }))).toBe("cant_update_message");
    expect(await answerOf(client.chat.delete(theirs))).toBe("cant_delete_message");
    const { ts: own = "" } = await client.chat.postMessage({ channel: "C0GENERAL", text: "x" });
    const long = { channel: "C0GENERAL", ts: own, text: "x".repeat(4_001) };
    expect(await answerOf(client.chat.update(long))).toBe("msg_too_long");
  });

  test("refuses a token that is wrong or revoked", async () => {
    const ask = (token: string) => answerOf(webClient(slack, token).auth.test());
    expect(await ask("xoxb-unknown")).toBe("invalid_auth");
    await slack.revoke({ token: "xoxb-T0ACME-first" });
    expect(await ask("xoxb-T0ACME-first")).toBe("token_revoked");
  });
});

describe("the stand-in for Discord", () => {
  let discord: DiscordServer;

  beforeEach(async () => {
    discord = await startDiscordServer();
  });
  afterEach(() => discord.close());

  async function call(method: string, path: string, body?: object, token = exampleToken) {
    const headers = { authorization: `Bot ${token}`, "content-type": "application/json" };
    const answer = await fetch(`${discord.apiUrl}/v10${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    });
    const { code } = (await answer.json()) as { code?: number };
    return answer.ok ? "ok" : code;
  }
  const button = (custom_id: string) => ({ type: 2, style: 1, label: "Go", custom_id });

  test.each<[string, string, object, number]>([
    ["a text of 2,001", ids.general, { content: "x".repeat(2_001) }, 50035],
    ["white text", ids.general, { content: " \n" }, 50006],
    ["a channel it may not write to", ids.readOnly, { content: "x" }, 50013],
    [
      "a custom id twice",
      ids.general,
      { components: [{ type: 1, components: [button("a"), button("a")] }] },
      50035,
    ],
    [
      "a display of 4,001",
      ids.general,
      { flags: 1 << 15, components: [{ type: 10, content: "x".repeat(4_001) }] },
      50035,
    ],
    ["a channel that is not there", "1", { content: "x" }, 10003],
  ])("refuses %s", async (_, channel, body, code) => {
    expect(await call("POST", `/channels/${channel}/messages`, body)).toBe(code);
  });

  test("refuses to change or delete the messages of others, an unknown route and a wrong token", async () => {
    const message = await discord.say({ user: ids.adam, channel: ids.general, content: "mine" });
    const theirs = `/channels/${ids.general}/messages/${message}`;
    expect(await call("PATCH", theirs, { content: "x" })).toBe(50005);
    expect(await call("DELETE", theirs)).toBe(50013);
    expect(await call("GET", "/nowhere")).toBe(0);
    expect(await call("GET", "/users/@me", undefined, "wrong")).toBe(0);
  });

  test("Discord keeps a message with an enforced nonce once", async () => {
    const message = { content: "once", nonce: "n1", enforce_nonce: true };
    for (const _ of [1, 2]) await call("POST", `/channels/${ids.general}/messages`, message);
    const kept = (await discord.messages(ids.general)).filter(({ content }) => content === "once");
    expect(kept).toHaveLength(1);
  });
});
