import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { channelThread } from "../../../src/core/ports/chat-platform.ts";
import { checkSlack } from "../../../src/platforms/slack/check-slack.ts";
import { webClient } from "../../support/slack/bolt-rig.ts";
import { defaultSeed, type SeedChannel, type SeedUser } from "../../support/slack/world/seed.ts";
import { acme, type SlackWorld, startSlackWorld } from "../../support/slack/world/slack-world.ts";

const minute = 60_000;
const general = acme("C0GENERAL");

describe("who may read", () => {
  let world: SlackWorld;
  beforeAll(async () => {
    world = await startSlackWorld();
  });
  afterAll(() => world.slack.close());
  const access = (namespace: string, person: string) => world.platform.actions.access(namespace, person);

  test("a direct-message channel with the bot is never a readable channel, and neither is nonsense", async () => {
    for (const place of ["D0BEN", "D0ANNA", "C0NOWHERE", "../../x", "", "dm-U0ANNA"])
      expect(await access(acme(place), "U0BEN")).toBeUndefined();
  });

  test("a group message can be read by those who are in it, and is in no list of channels", async () => {
    expect(await access(acme("G0GROUP"), "U0BEN")).toMatchObject({ open: false, write: true });
    expect(await access(acme("G0GROUP"), "U0GUS")).toBeUndefined();
    const listed = await world.platform.actions.channels(general, "U0BEN");
    expect(listed.map(({ name }) => name)).toEqual(["general", "old", "shared"]);
  });

  test("guests and people of other companies can read the channels they are in", async () => {
    const named = async (person: string) =>
      (await world.platform.actions.channels(general, person)).map(({ name }) => name);
    for (const person of ["U0GUS", "U0STELLA"]) {
      expect(await named(person)).toEqual(["shared"]);
      expect(await access(acme("C0SHARED"), person)).toMatchObject({ write: true });
      expect(await access(general, person)).toBeUndefined();
    }
    expect(await access(acme("C0SHARED"), "U0BEN")).toMatchObject({ write: false });
  });

  test("a change is effective a minute later", async () => {
    const { slack, later } = world;
    await slack.addChannel({ ...seedChannel("C0TEAM", "team"), members: ["U0ANNA", "U0BEN", "U0KNACK"] });
    await slack.addUser(seedUser("U0NEW", "new"));
    later(minute);
    expect(await access(acme("C0TEAM"), "U0BEN")).toMatchObject({ write: true });
    expect(await access(acme("C0TEAM"), "U0ANNA")).toMatchObject({ write: true });
    expect(await access(general, "U0NEW")).toMatchObject({ write: false });
    await slack.leave({ channel: "C0TEAM", user: "U0BEN" });
    await slack.archive({ channel: "C0TEAM" });
    await slack.changeUser({ user: "U0NEW", is_restricted: true });
    later(minute);
    expect(await access(acme("C0TEAM"), "U0BEN")).toBeUndefined();
    expect(await access(acme("C0TEAM"), "U0ANNA")).toMatchObject({ write: false, pin: false });
    expect(await access(general, "U0NEW")).toBeUndefined();
    await slack.kick({ channel: "C0GENERAL" });
    later(minute);
    expect(await access(general, "U0ANNA")).toBeUndefined();
  });
});

test("a large workspace is searched within Slack's limits", async () => {
  const people = Array.from({ length: 1_100 }, (_, i) => seedUser(`U9P${i}`, `person ${i}`));
  const rooms = Array.from({ length: 150 }, (_, i) => seedChannel(`C9R${i}`, `room ${i}`));
  const seed = { channels: [...defaultSeed().channels, ...rooms] };
  const { slack, platform } = await startSlackWorld({ seed, enforceRates: true });
  try {
    await slack.addUser(people);
    const { actions } = platform;
    expect(await actions.channels(general, "U0ANNA")).toHaveLength(154);
    expect(await actions.channels(general, "U0GUS")).toHaveLength(1);
    expect(await actions.access(acme("C9R149"), "U0ANNA")).toMatchObject({ write: true });
    const query = { words: "", asker: "U0ANNA", most: 5 };
    const { people: found, more } = (await actions.people?.(general, query)) ?? { people: [] };
    expect([found.filter(({ here }) => here).length, found.length, more]).toEqual([3, 5, true]);
    const last = await actions.people?.(general, { ...query, words: "person 1099" });
    expect(last?.people.map(({ id }) => id)).toEqual(["U9P1099"]);
    const state = await slack.look();
    expect(state.refusals()).toEqual([]);
    // As few as Slack's largest pages allow: the 10,000 people that are read take half of the calls of a minute.
    expect(state.calls("users.list")).toHaveLength(2);
  } finally {
    await slack.close();
  }
});

describe("reading", () => {
  let world: SlackWorld;
  beforeAll(async () => {
    world = await startSlackWorld();
  });
  afterAll(() => world.slack.close());
  const say = async (text: string, more: { thread_ts?: string; ago_ms?: number } = {}) =>
    (await world.slack.say({ user: "U0BEN", channel: "C0GENERAL", text, ...more })).ts;

  test("reading goes through pages, and says when there is more", async () => {
    for (let i = 0; i < 230; i += 1) await say(`line ${i}`);
    const { history } = world.platform.actions;
    const place = { namespace: general, thread: channelThread };
    const all = await history(place, { most: 500 });
    expect([all.messages.length, all.messages[0]?.text, all.more]).toEqual([230, "line 0", false]);
    const some = await history(place, { most: 210 });
    expect([some.messages.length, some.messages.at(-1)?.text, some.more]).toEqual([210, "line 229", true]);
  });

  test("the ends of a range are in it, to the millisecond, and a thread's root only where it is", async () => {
    const root = await say("root", { ago_ms: 3 * minute });
    for (const text of ["first", "second", "third"]) await say(text, { thread_ts: root });
    const { history } = world.platform.actions;
    const place = { namespace: general, thread: root };
    const { messages } = await history(place, { most: 10 });
    expect(messages.map(({ text }) => text)).toEqual(["root", "first", "second", "third"]);
    expect(messages[0]).toMatchObject({ thread: root, replies: 3 });
    const [, first, second] = messages.map(({ at }) => at);
    const between = await history(place, { since: first, until: second, most: 10 });
    const texts = between.messages.map(({ text }) => text);
    expect(texts).toEqual(expect.arrayContaining(["first", "second"]));
    expect(texts).not.toContain("root");
  });

  test("the links are those that Slack gives", async () => {
    const { actions } = world.platform;
    const root = await say("linked");
    const reply = await say("linked too", { thread_ts: root });
    for (const message_ts of [root, reply]) {
      const { permalink } = await webClient(world.slack).chat.getPermalink({
        channel: "C0GENERAL",
        message_ts,
      });
      const found = await actions.message(general, message_ts);
      expect(found?.link).toBe(permalink);
      expect(await actions.link(general, message_ts, found?.thread)).toBe(found?.link);
    }
  });

  test("the words of guests and other companies are marked, and names are readable", async () => {
    const text = "<@U0ANNA> and <!subteam^S0ONCALL>, see <#C0GENERAL>";
    await world.slack.say({ user: "U0GUS", channel: "C0SHARED", text });
    await world.slack.say({ user: "U0STELLA", channel: "C0SHARED", text: "hi" });
    await world.slack.say({ user: "U0ANNA", channel: "C0SHARED", text: "hello" });
    const place = { namespace: acme("C0SHARED"), thread: channelThread };
    const { messages } = await world.platform.actions.history(place, { most: 3 });
    expect(messages.map(({ outside }) => outside)).toEqual([true, true, undefined]);
    expect(messages[0]?.text).toBe("@anna and @oncall, see #general");
  });
});

describe("acting", () => {
  let world: SlackWorld;
  let reference: string;
  beforeAll(async () => {
    world = await startSlackWorld();
    reference = (await world.slack.say({ user: "U0BEN", channel: "C0GENERAL", text: "idea" })).ts;
  });
  afterAll(() => world.slack.close());

  test.each([
    ["thinking", "thinking_face"],
    ["🤔", "thinking_face"],
    ["👍🏽", "+1"],
    ["❤", "heart"],
    ["Tada", "tada"],
    ["party-parrot", "party-parrot"],
  ])("acting reacts with %s as %s", async (emoji, name) => {
    const { react } = world.platform.actions;
    const names = async () =>
      (await world.slack.look())
        .messages("C0GENERAL")
        .find(({ ts }) => ts === reference)
        ?.reactions.map((each) => each.name);
    await react?.(general, reference, emoji, true);
    expect(await names()).toEqual([name]);
    await react?.(general, reference, emoji, false);
    expect(await names()).toEqual([]);
  });

  test.each(["company-logo", "🦖🦖", ":", "a b", ""])(
    "acting says that “%s” is not an emoji here",
    async (emoji) => {
      const given = world.platform.actions.react?.(general, reference, emoji, true);
      await expect(given).rejects.toMatchObject({
        code: "invalid",
        message: expect.stringContaining("thumbsup"),
      });
    },
  );

  test("acting says when a channel is archived or the message is gone", async () => {
    const { react, pin } = world.platform.actions;
    await expect(react?.(acme("C0OLD"), reference, "eyes", true)).rejects.toMatchObject({ code: "gone" });
    await expect(pin?.(general, "1700000000.000001", true)).rejects.toMatchObject({ code: "gone" });
  });

  test("a message sent to somebody is in their direct messages", async () => {
    const { actions } = world.platform;
    const place = await actions.direct?.(general, "U0GUS");
    expect(place?.namespace).toBe(acme("dm-U0GUS"));
    await world.platform.post(place ?? { namespace: "", thread: "" }, { markdown: "the review is at 3" });
    const { all } = await world.slack.look();
    const sent = all.messages.find(({ text }) => text === "the review is at 3");
    expect(sent?.channel).toMatch(/^D/);
    expect(sent?.thread_ts).toBeUndefined();
    await expect(actions.direct?.(general, "U0NOBODY")).rejects.toMatchObject({ code: "gone" });
    await expect(actions.direct?.(general, "U0KNACK")).rejects.toMatchObject({ code: "forbidden" });
  });
});

test("an action without a scope says which one is missing, and user groups are unknown", async () => {
  const { slack, platform } = await startSlackWorld();
  try {
    const { actions } = platform;
    const { ts } = await slack.say({ user: "U0BEN", channel: "C0GENERAL", text: "x" });
    const scopes = ["reactions:write", "pins:write", "channels:history", "im:write", "usergroups:read"];
    await slack.removeScopes({ team: "T0ACME", scopes });
    const refused = (scope: string) => ({ code: "forbidden", message: expect.stringContaining(scope) });
    const place = { namespace: general, thread: channelThread };
    await expect(actions.react?.(general, ts, "eyes", true)).rejects.toMatchObject(
      refused("reactions:write"),
    );
    await expect(actions.pin?.(general, ts, true)).rejects.toMatchObject(refused("pins:write"));
    await expect(actions.history(place, { most: 1 })).rejects.toMatchObject(refused("channels:history"));
    await expect(actions.direct?.(general, "U0GUS")).rejects.toMatchObject(refused("im:write"));
    const found = await actions.people?.(general, { words: "", asker: "U0ANNA", most: 9 });
    expect([found?.groups, found?.people.some(({ id }) => id === "U0BEN")]).toEqual([[], true]);
  } finally {
    await slack.close();
  }
});

test("an installation without the scopes for acting causes a warning, and one that cannot answer is an error", async () => {
  const { slack } = await startSlackWorld();
  try {
    const scopes = async (...gone: string[]) => {
      await slack.removeScopes({ team: "T0ACME", scopes: gone });
      const found = await checkSlack({ bot_token: "xoxb-T0ACME-first", api_url: slack.apiUrl });
      return found.find(({ name }) => name === "scopes");
    };
    expect(await scopes()).toMatchObject({ status: "ok" });
    expect(await scopes("pins:write", "usergroups:read")).toMatchObject({
      status: "warning",
      detail: expect.stringContaining("pins:write (without it it cannot pin messages)"),
    });
    expect(await scopes("chat:write")).toMatchObject({ status: "error" });
  } finally {
    await slack.close();
  }
});

test("Slack is asked whether it takes the blocks of answers, and a refusal is a warning", async () => {
  const { slack } = await startSlackWorld();
  try {
    const blocks = async () => {
      const found = await checkSlack({ bot_token: "xoxb-T0ACME-first", api_url: slack.apiUrl });
      return found.find(({ name }) => name === "blocks");
    };
    expect(await blocks()).toMatchObject({
      status: "ok",
      detail: expect.stringContaining("takes the tables"),
    });
    await slack.fail({ method: "blocks.validate", error: "invalid_blocks", times: 1 });
    expect(await blocks()).toMatchObject({ status: "warning", advice: expect.any(String) });
    await slack.fail({ method: "blocks.validate", error: "unknown_method", times: 1 });
    expect(await blocks()).toMatchObject({ status: "ok", detail: expect.stringContaining("did not say") });
  } finally {
    await slack.close();
  }
});

test("guests may not notify a user group", async () => {
  const { slack, platform } = await startSlackWorld();
  try {
    const groups = async (asker: string) =>
      (await platform.actions.people?.(acme("C0SHARED"), { words: "oncall", asker, most: 9 }))?.groups;
    expect(await groups("U0ANNA")).toEqual([{ id: "S0ONCALL", name: "oncall", members: 1, callable: true }]);
    expect(await groups("U0GUS")).toMatchObject([{ callable: false }]);
  } finally {
    await slack.close();
  }
});

function seedUser(id: string, name: string): SeedUser {
  return { id, team_id: "T0ACME", name, real_name: name, display_name: name, tz: "Europe/Berlin" };
}

function seedChannel(id: string, name: string): SeedChannel {
  return { id, team_id: "T0ACME", name, kind: "private", creator: "U0ANNA", members: ["U0ANNA", "U0KNACK"] };
}
