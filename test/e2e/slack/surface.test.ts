import { describe, expect, test } from "vitest";
import {
  channelThread,
  type OutgoingButton,
  type OutgoingMessage,
  type ProgressCard,
} from "../../../src/core/ports/chat-platform.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { fakeSlack, type SlackBot, slackBot } from "../support/slack-bot.ts";

const general = "C0GENERAL";
const channel = { namespace: "slack:T0ACME:C0GENERAL", thread: channelThread };
const shared = { namespace: "slack:T0ACME:C0SHARED", thread: channelThread };
const direct = { namespace: "slack:T0ACME:dm-U0BEN", thread: "dm" };
const to = (ts: string) => ({ message: ts, person: "U0BEN" });
const quiet = () => scriptedModel(["-"]);

async function surface(options: Parameters<typeof slackBot>[2] = {}) {
  const slack = await fakeSlack();
  const bot: SlackBot = await slackBot(slack, quiet(), options);
  return { slack, platform: bot.platform };
}

describe("people", () => {
  test("people have the trust that Slack gives them, in each place", async () => {
    const { slack, platform } = await surface({ settings: { operators: ["U0GUS"] } });
    const creator = { ...slack.seed.users[1], id: "U0CARA", name: "cara", display_name: "cara" };
    await slack.addUser(creator as never);
    await slack.addChannel({
      id: "C0CARA",
      team_id: "T0ACME",
      name: "cara",
      kind: "public",
      creator: "U0CARA",
      members: ["U0CARA", "U0KNACK"],
    });
    const of = async (place: typeof channel, id: string) => {
      const { trust, standing } = await platform.person(place, id);
      return `${standing} ${trust}`;
    };
    expect(await of(channel, "U0ANNA")).toBe("member manager");
    expect(await of(channel, "U0BEN")).toBe("member member");
    expect(await of({ ...channel, namespace: "slack:T0ACME:C0CARA" }, "U0CARA")).toBe("member manager");
    expect(await of(channel, "U0CARA")).toBe("member member");
    expect(await of(direct, "U0ANNA")).toBe("member member");
    expect(await of(shared, "U0STELLA")).toBe("outsider guest");
    expect(await of(shared, "U0GUS")).toBe("guest operator");
    expect(await of(channel, "U0KNACK")).toBe("bot guest");
    expect(await of(channel, "UNOBODY")).toBe("outsider guest");
  });

  test("people are requested once by many at once, and again after a failure", async () => {
    const { slack, platform } = await surface();
    await slack.fail({ method: "users.info", error: "internal_error" });
    const failed = await Promise.allSettled([
      platform.person(channel, "U0BEN"),
      platform.person(channel, "U0BEN"),
    ]);
    expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected"]);

    await Promise.all(Array.from({ length: 20 }, () => platform.person(channel, "U0BEN")));

    expect((await slack.look()).calls("users.info")).toHaveLength(2);
  });
});

describe("messages", () => {
  test("messages are found by their tag, and nothing else is", async () => {
    const { slack, platform } = await surface();
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "hello" });
    const place = { ...channel, thread: ts };
    const tag = { turn_id: "t1", purpose: "answer", part: 1 } as const;

    const reference = await platform.post(place, { markdown: "One", tag });
    await platform.post(place, { markdown: "Another", tag: { ...tag, part: 2 } });

    expect(await platform.find(place, tag)).toBe(reference);
    expect(await platform.find(place, { ...tag, part: 3 })).toBeUndefined();
    expect(await platform.find(place, { ...tag, purpose: "progress" })).toBeUndefined();
    await platform.edit(place, reference, { markdown: "One, changed", tag });
    expect(await platform.find(place, tag)).toBe(reference);
    const inDirect = await platform.post(direct, { markdown: "Two", tag });
    expect(await platform.find(direct, tag)).toBe(inDirect);
  });

  test("messages whose stream a crash interrupted are found, and corrected by an edit", async () => {
    const { slack, platform } = await surface();
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "hello" });
    const place = { ...channel, thread: ts };
    const tag = { turn_id: "t1", purpose: "answer", part: 0 } as const;
    const stream = await platform.openStream?.(place, tag, to(ts), { markdown: "" });
    await stream?.append("Half an ans");

    const found = await platform.find(place, tag);
    expect(found).toBe(stream?.reference);
    await platform.edit(place, found ?? "", { markdown: "The whole answer", tag });

    const own = (await slack.look()).botMessages(general, ts);
    expect(own).toHaveLength(1);
    expect(own[0]?.blocks).toMatchObject([{ type: "markdown", text: "The whole answer" }]);
  });

  test("messages streamed in vain are removed, and a removed message may be removed again", async () => {
    const { slack, platform } = await surface();
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "hello" });
    const place = { ...channel, thread: ts };
    const tag = { turn_id: "t1", purpose: "answer", part: 0 } as const;
    const stream = await platform.openStream?.(place, tag, to(ts), { markdown: "" });
    await stream?.append("Let me look…");

    await stream?.cancel();

    expect((await slack.look()).botMessages(general, ts)).toEqual([]);
    await platform.remove(place, stream?.reference ?? "");
  });

  test("messages whose end differs from what was streamed show only the end", async () => {
    const { slack, platform } = await surface();
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "hello" });
    const place = { ...channel, thread: ts };
    const tag = { turn_id: "t1", purpose: "answer", part: 0 } as const;
    const stream = await platform.openStream?.(place, tag, to(ts), { markdown: "" });
    await stream?.append("The key is sk-123");
    await stream?.finish({ markdown: "The key is [redacted]" });

    const [shown] = (await slack.look()).botMessages(general, ts);
    expect(JSON.stringify(shown)).not.toContain("sk-123");
    expect(shown?.metadata?.event_payload).toEqual(tag);
  });

  test("messages to the channel open no thread, and a direct message is opened when it is not known", async () => {
    const { slack, platform } = await surface();

    await platform.post(channel, { markdown: "Hello everybody" });
    await platform.post({ ...direct, namespace: "slack:T0ACME:dm-U0ANNA" }, { markdown: "Hello Anna" });

    const state = await slack.look();
    expect(state.botMessages(general)[0]?.thread_ts).toBeUndefined();
    expect(state.botMessages("D0ANNA")[0]?.text).toBe("Hello Anna");
  });

  test("messages for one person reach them directly when they are not in the channel", async () => {
    const { slack, platform } = await surface();

    await platform.whisper({ ...channel, namespace: "slack:T0ACME:C0PRIVATE" }, "U0BEN", {
      markdown: "psst",
    });

    expect((await slack.look()).botMessages("D0BEN")[0]?.text).toBe("psst");
    expect((await slack.look()).ephemerals("U0BEN")).toEqual([]);
  });

  test("messages that Slack does not take fail with what that means", async () => {
    const { slack, platform } = await surface();
    const post = (namespace: string) =>
      platform.post({ namespace, thread: channelThread }, { markdown: "x" });

    await expect(post("slack:T0ACME:C0OLD")).rejects.toMatchObject({ code: "gone" });
    await expect(post("slack:T0ACME:C0RANDOM")).rejects.toMatchObject({ code: "gone" });
    await expect(post("slack:T0GLOBEX:C1GENERAL")).rejects.toMatchObject({ code: "gone" });
    await slack.rateLimit({ method: "chat.postMessage", seconds: 3 });
    await expect(post(channel.namespace)).rejects.toMatchObject({
      code: "rate_limited",
      retryAfterMs: 3_000,
    });
    await slack.fail({ method: "chat.postMessage", status: 502 });
    await expect(post(channel.namespace)).rejects.toMatchObject({ code: "unavailable" });
    await slack.removeScopes({ team: "T0ACME", scopes: ["chat:write"] });
    await expect(post(channel.namespace)).rejects.toMatchObject({ code: "forbidden" });
    expect(
      (await slack.look()).calls("chat.postMessage").filter(({ status }) => status === 502),
    ).toHaveLength(1);
  });
});

describe("one message", () => {
  const tag = { turn_id: "t1", purpose: "answer", part: 0 } as const;
  const step = (id: string, state: "running" | "ok") => ({ id, title: `Reading ${id}`, state });
  const card = (steps: ReturnType<typeof step>[], title = "Looking"): ProgressCard => ({
    title,
    markdown: `**${title}**`,
    steps,
    done: false,
  });
  const ended: ProgressCard = { title: "2 steps, 3 s", markdown: "*2 steps, 3 s*", steps: [], done: true };
  const stop: OutgoingButton[] = [
    { action: { role: "stop", turn_id: "t1", below: "answer" }, label: "Stop" },
  ];
  const menu: OutgoingButton[] = [
    { action: { role: "again", turn_id: "t1" }, label: "Try again", menu: true },
    { action: { role: "forget", turn_id: "t1" }, label: "Delete", menu: true },
  ];
  const png = { name: "chart.png", media_type: "image/png", data: new Uint8Array([1, 2]) };
  const csv = { name: "orders.csv", media_type: "text/csv", data: new Uint8Array([3]) };

  async function streamed(start: OutgoingMessage) {
    const { slack, platform } = await surface();
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "hello" });
    const place = { ...channel, thread: ts };
    const stream = await platform.openStream?.(place, tag, to(ts), start);
    if (stream === undefined) throw new Error("It does not stream");
    const look = async () => (await slack.look()).botMessages(general, ts);
    return { slack, platform, place, stream, look };
  }

  test("one message streams its tasks with a button, and ends as one line, text and menu", async () => {
    const { stream, look } = await streamed({
      markdown: "",
      progress: card([step("a", "running")]),
      buttons: stop,
    });
    const [running] = await look();
    expect(running?.stream).toMatchObject({ task_display_mode: "plan", plan_title: "Looking" });
    expect(running?.stream?.tasks).toEqual([{ id: "a", title: "Reading a", status: "in_progress" }]);
    expect(JSON.stringify(running?.blocks)).toContain("stop-answer:t1");

    await stream.progress(card([step("a", "ok"), step("b", "ok")]));
    await stream.append("Found ");
    await stream.finish({
      tag,
      markdown: "Found it.",
      progress: ended,
      buttons: menu,
    });

    const own = await look();
    expect(own).toHaveLength(1);
    expect(own[0]?.blocks).toMatchObject([
      { type: "context", elements: [{ text: "2 steps, 3 s" }] },
      { type: "markdown", text: "Found it." },
      {
        type: "actions",
        elements: [{ type: "overflow", options: [{ value: "again:t1" }, { value: "forget:t1" }] }],
      },
    ]);
    expect(own[0]?.metadata?.event_payload).toEqual(tag);
  });

  test("one message sends only what is new of a plan", async () => {
    const { slack, stream } = await streamed({ markdown: "", progress: card([step("a", "ok")]) });
    await stream.progress(card([step("a", "ok")]));
    await stream.progress(card([step("a", "ok"), step("b", "running")]));
    const sent = (await slack.look()).calls("chat.appendStream").map(({ arguments: given }) => given.chunks);
    expect(sent).toEqual([[{ type: "task_update", id: "b", title: "Reading b", status: "in_progress" }]]);
  });

  test("one message continues by edits where Slack takes no more below tasks", async () => {
    const { stream, look } = await streamed({ markdown: "", progress: card([step("a", "ok")]) });
    const markdown = "word ".repeat(2_180).trim();
    await stream.append(markdown);
    await stream.finish({ tag, markdown, progress: ended, buttons: menu });
    const own = await look();
    expect(own).toHaveLength(1);
    expect(own[0]?.blocks).toMatchObject([{ type: "context" }, { type: "markdown", text: markdown }, {}]);
  });

  test("one message streams without a button where Slack takes none", async () => {
    const { slack, platform } = await surface();
    const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "hello" });
    await slack.fail({ method: "chat.startStream", error: "invalid_blocks" });
    const start = { markdown: "", progress: card([step("a", "running")]), buttons: stop };
    await platform.openStream?.({ ...channel, thread: ts }, tag, to(ts), start);
    const [own] = (await slack.look()).botMessages(general, ts);
    expect(own?.stream?.tasks).toHaveLength(1);
    expect(own?.blocks).toEqual([]);
  });

  test("one message has its files: pictures below the text, others attached, and none twice", async () => {
    const { platform, place, stream, look } = await streamed({ markdown: "See " });
    const message = { tag, markdown: "See the chart.", files: [png, csv], buttons: menu };
    await stream.finish(message);
    await platform.edit(place, stream.reference, message);
    const own = await look();
    expect(own).toHaveLength(1);
    expect(own[0]?.blocks).toMatchObject([
      { type: "markdown" },
      { type: "image", alt_text: "chart" },
      { type: "actions" },
    ]);
    expect(own[0]?.files).toHaveLength(1);
  });

  test("one message has a picture attached that Slack does not show in the text", async () => {
    const { platform, place, look } = await streamed({ markdown: "-" });
    const fake = { ...png, name: "chart.txt" };
    await platform.post(place, { markdown: "See.", files: [fake] });
    expect((await look()).at(-1)?.files).toHaveLength(1);
  });

  test("one message is followed by files that Slack does not take into it", async () => {
    const { slack, platform, place, look } = await streamed({ markdown: "-" });
    await slack.fail({ method: "chat.update", error: "invalid_arguments" });
    await platform.post(place, { markdown: "See.", files: [csv] });
    const own = await look();
    expect(own).toHaveLength(3);
    expect(own[2]).toMatchObject({ subtype: "file_share", files: [expect.any(String)] });
  });

  test("one message for one person goes to them directly when it has files", async () => {
    const { slack, platform, place } = await streamed({ markdown: "-" });
    await platform.whisper(place, "U0BEN", { markdown: "For you.", files: [csv] });
    expect((await slack.look()).botMessages("D0BEN")[0]?.files).toHaveLength(1);
    expect((await slack.look()).ephemerals("U0BEN")).toEqual([]);
  });
});

test("a thread is read with names, files and the bot's own messages marked", async () => {
  const { slack, platform } = await surface();
  const { ts } = await slack.say({ user: "U0ANNA", channel: general, text: "hello <@U0BEN>" });
  await platform.post({ ...channel, thread: ts }, { markdown: "Hello Anna" });
  await slack.say({ user: "U0BEN", channel: general, text: "hi", thread_ts: ts });

  const thread = await platform.readThread({ ...channel, thread: ts }, 2);
  const all = await platform.readThread({ ...channel, thread: ts }, 50);

  expect(thread.map(({ text }) => text)).toEqual(["Hello Anna", "hi"]);
  expect(all.map(({ author }) => [author.name, author.bot, author.self])).toEqual([
    ["anna", false, false],
    ["Knack", true, true],
    ["ben", false, false],
  ]);
  expect(all[0]?.text).toBe("hello @ben");
  expect(await platform.describe(channel)).toMatchObject({ name: "general" });
});

test("working indicators never fail a turn", async () => {
  const { slack, platform } = await surface();
  const { ts } = await slack.say({ user: "U0BEN", channel: general, text: "hello" });
  const place = { ...channel, thread: ts };
  const to = { message: ts, person: "U0BEN" };

  await platform.markSeen(place, ts, true);
  await platform.markSeen(place, ts, true);
  await platform.markSeen(place, "1.0", false);
  await slack.removeScopes({ team: "T0ACME", scopes: ["assistant:write"] });
  await platform.showWorking(place, "", to);
  await platform.showWorking(place, "", to);

  const state = await slack.look();
  expect(state.messages(general, ts)[0]?.reactions).toHaveLength(1);
  expect(state.calls("assistant.threads.setStatus")).toHaveLength(1);
  expect(await platform.describe({ ...channel, namespace: "slack:T0ACME:CNOWHERE" })).toEqual({});
});
