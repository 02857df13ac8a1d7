import { describe, expect, test } from "vitest";
import { replayedSlack, type SlackCall } from "./support/replayed-slack.ts";

const channel = "slack:T0ACME:C0GENERAL";
const named = (calls: readonly SlackCall[]) => calls.map(({ method }) => method);

describe("what people write", () => {
  test("message and app_mention of one message are one turn, with one answer in its thread", async () => {
    const slack = await replayedSlack();
    expect(await slack.deliver("message-channel")).toMatchObject({ status: 200 });
    expect(await slack.deliver("app-mention")).toMatchObject({ status: 200 });
    await slack.until("reactions.remove");
    const posts = await slack.until("chat.postMessage");
    expect(posts).toHaveLength(1);
    expect(posts[0]?.given).toMatchObject({ channel: "C0GENERAL", text: "Hello." });
    expect(slack.model.requests).toHaveLength(1);
    expect(JSON.stringify(slack.model.requests[0]?.messages)).toContain("to @Anna & #general");
  });

  test("an event delivered again a minute later changes nothing", async () => {
    const slack = await replayedSlack();
    await slack.deliver("app-mention");
    await slack.until("reactions.remove");
    await slack.deliver("app-mention");
    await slack.deliver("message-channel");
    expect(await slack.app.app.turns({ namespace: channel, limit: 10 })).toHaveLength(1);
  });

  test("a link preview and an edit of an answered message change nothing", async () => {
    const slack = await replayedSlack();
    await slack.deliver("app-mention");
    await slack.until("reactions.remove");
    await slack.deliver("unfurled");
    await slack.deliver("message-changed");
    expect(await slack.app.app.turns({ namespace: channel, limit: 10 })).toHaveLength(1);
    expect(slack.model.requests).toHaveLength(1);
  });

  test("a deleted question takes the answer and the texts with it", async () => {
    const slack = await replayedSlack();
    await slack.deliver("app-mention");
    await slack.until("reactions.remove");
    await slack.deliver("question-deleted");
    await slack.until("chat.delete");
    const texts = async () => JSON.stringify(await slack.app.app.turns({ namespace: channel, limit: 10 }));
    await expect.poll(texts).not.toContain("say [hello]");
  });

  test.each(["message-im", "assistant-message"])("a direct message (%s) is answered", async (fixture) => {
    const slack = await replayedSlack();
    await slack.deliver(fixture);
    const [post] = await slack.until("chat.postMessage");
    expect(post?.given).toMatchObject({ channel: "D0BEN", text: "Hello." });
  });

  test("somebody of another company is refused so that only they see it", async () => {
    const slack = await replayedSlack();
    await slack.deliver("slack-connect");
    const [refusal] = await slack.until("chat.postEphemeral");
    expect(refusal?.given).toMatchObject({ user: "U0STELLA" });
    expect(slack.model.requests).toEqual([]);
    expect(named(slack.calls())).not.toContain("chat.postMessage");
  });

  test.each(["own-message", "bot-message", "channel-topic", "thread-broadcast", "file-share"])(
    "a message (%s) is not for the bot and leaves no trace",
    async (fixture) => {
      const slack = await replayedSlack();
      expect(await slack.deliver(fixture)).toMatchObject({ status: 200 });
      expect(await slack.app.app.namespaces("slack")).toEqual([]);
      expect(slack.calls()).toEqual([]);
    },
  );
});

describe("who speaks, and where", () => {
  test.each([
    ["U0ANNA", "Asia/Kolkata"],
    ["U0BEN", "Europe/Amsterdam"],
    ["U0CEM", undefined],
    ["U0DEPLOY", undefined],
    ["U0STELLA", undefined],
  ])("the person %s has the time zone %s", async (person, zone) => {
    const { platform } = await replayedSlack();
    const place = { namespace: channel, thread: "1732260000.000100" };
    expect((await platform.person(place, person)).time_zone).toBe(zone);
  });

  test.each(["app-mention", "message-im", "slash-command"])(
    "a message (%s) carries the zone of its author",
    async (fixture) => {
      const slack = await replayedSlack();
      await slack.deliver(fixture);
      const turns = async () => slack.app.app.turns({ limit: 10 });
      await expect.poll(async () => (await turns()).length).toBe(1);
      expect((await turns())[0]?.author).toMatchObject({ id: "U0BEN", time_zone: "Europe/Amsterdam" });
    },
  );

  test("a channel has its name, and its topic as people read it", async () => {
    const { platform } = await replayedSlack();
    expect(await platform.describe({ namespace: channel, thread: "1732260000.000100" })).toEqual({
      name: "general",
      topic: "R&D of @Ben, see [the plan](https://example.com/plan)",
    });
    expect(await platform.describe({ namespace: "slack:T0ACME:dm-U0BEN", thread: "dm" })).toEqual({});
  });
});

describe("what happens around the bot", () => {
  test("the bot greets a channel it is invited to, once", async () => {
    const slack = await replayedSlack();
    await slack.deliver("member-joined");
    await slack.deliver("member-joined");
    const posts = await slack.until("chat.postMessage");
    expect(posts.map(({ given }) => given.channel)).toEqual(["C0RANDOM"]);
    expect(posts[0]?.given.thread_ts).toBeUndefined();
  });

  test.each(["member-left", "channel-left", "group-left", "message-deleted"])(
    "the event %s leads to no message",
    async (fixture) => {
      const slack = await replayedSlack();
      expect(await slack.deliver(fixture)).toMatchObject({ status: 200 });
      expect(slack.calls()).toEqual([]);
    },
  );

  test.each(["assistant-thread-started", "app-home-messages"])(
    "the event %s is answered with prompts",
    async (fixture) => {
      const slack = await replayedSlack();
      await slack.deliver(fixture);
      const [prompts] = await slack.until("assistant.threads.setSuggestedPrompts");
      expect(prompts?.given.channel_id).toBe("D0BEN");
    },
  );

  test("the opened home is published for its person", async () => {
    const slack = await replayedSlack();
    await slack.deliver("app-home-opened");
    const [home] = await slack.until("views.publish");
    expect(home?.given.user_id).toBe("U0BEN");
  });

  test.each(["app-uninstalled", "tokens-revoked"])("the token is checked again after %s", async (fixture) => {
    const slack = await replayedSlack();
    await slack.deliver(fixture);
    expect(await slack.until("auth.test", 2)).toHaveLength(2);
  });
});

describe("what people do", () => {
  test("a command is acknowledged with nothing and answered only for its author", async () => {
    const slack = await replayedSlack();
    expect(await slack.deliver("slash-command")).toEqual(expect.objectContaining({ status: 200, body: "" }));
    const [answer] = await slack.until("response/command");
    expect(JSON.stringify(answer?.given)).toContain("ephemeral");
    await slack.deliver("slash-command");
    expect(await slack.until("response/command")).toHaveLength(1);
  });

  test("a click on Try again answers once more, however often it is delivered", async () => {
    const slack = await replayedSlack(["Hello.", "Hello again."]);
    await slack.deliver("app-mention");
    await slack.until("reactions.remove");
    const [turn] = await slack.app.app.turns({ namespace: channel, limit: 1 });
    const click = { turn: turn?.turn_id ?? "", message: "1732260001.000100" };
    await slack.deliver("block-actions", click);
    await slack.deliver("block-actions", click);
    expect(await slack.app.app.turns({ namespace: channel, limit: 10 })).toHaveLength(2);
    const posts = await slack.until("chat.postMessage", 2);
    expect(posts.map(({ given }) => given.text)).toEqual(["Hello.", "Hello again."]);
    expect(slack.model.requests).toHaveLength(2);
  });

  test("the message shortcut opens a form, whose question is answered in the thread of the message", async () => {
    const slack = await replayedSlack();
    await slack.deliver("message-action");
    const [opened] = await slack.until("views.open");
    const view = JSON.parse(opened?.given.view ?? "{}") as { private_metadata: string; callback_id: string };
    await slack.deliver("view-submission", { metadata: view.private_metadata, callback: view.callback_id });
    const [post] = await slack.until("chat.postMessage");
    expect(post?.given.channel).toBe("C0GENERAL");
    expect(JSON.stringify(slack.model.requests[0]?.messages)).toContain("Is this a plan?");
  });
});
