import { describe, expect, it } from "vitest";
import type { Author, Mention } from "../../../src/core/inbound.ts";
import type { TurnEvent, TurnEventOf } from "../../../src/core/turn-event.ts";
import { shippedSources } from "../../../src/wiring/skill-sources.ts";
import { approve } from "../../support/ask-app.ts";
import { createFakeChat, type FakeChat } from "../../support/fake-chat-actions.ts";
import { createFakePlatform } from "../../support/fake-platform.ts";
import { type Line, scriptedModel } from "../../support/scripted-model.ts";
import { createTestApp } from "../../support/test-app.ts";

const ann: Author = { id: "U1ANN", name: "Ann", trust: "member", time_zone: "Europe/Berlin" };
const dora: Author = { id: "U4DORA", name: "Dora", trust: "member" };
const mia: Author = { id: "U9MIA", name: "Mia", trust: "manager" };
const general = "fake:team:general";
const at = (text: string) => Date.parse(`${text}Z`);

function createWorld(lines: readonly Line[]) {
  const chat = createFakeChat();
  chat.rooms.push(
    { namespace: general, name: "general", members: ["U1ANN", "U2BEN", "U4DORA", "U9MIA"] },
    { namespace: "fake:team:random", name: "random", topic: "Lunch", members: ["U1ANN", "U2BEN"] },
    { namespace: "fake:team:board", name: "board", private: true, members: ["U1ANN", "U2BEN"] },
    { namespace: "fake:team:secret", name: "secret", members: ["U1ANN"], withoutBot: true },
    { namespace: "fake:team:old", name: "old", members: ["U1ANN"], archived: true },
    { namespace: "fake:team:dm-U1ANN", name: "Ann", private: true, members: ["U1ANN"] },
  );
  chat.known.push(
    { id: "U1ANN", name: "Ann", here: true },
    { id: "U2BEN", name: "Ben", full_name: "Benjamin Brown", here: true },
    { id: "U3CLEO", name: "Cleo", here: false },
    { id: "B1", name: "CI", here: true, standing: "bot" },
  );
  chat.groups.push(
    { id: "S1ONCALL", name: "oncall", members: 4, callable: true },
    { id: "S2ALL", name: "all-hands", members: 500, callable: true },
    { id: "S3LOCKED", name: "locked", members: 3, callable: false },
  );
  say(chat, general, "m1", "U2BEN", "Ben", "The release branch is cut.", "2026-11-23T08:00");
  say(chat, general, "m2", "U2BEN", "Ben", "Fixed the invoice bug.", "2026-11-25T08:00");
  say(chat, "fake:team:board", "b1", "U2BEN", "Ben", "We close Oslo.", "2026-11-25T08:00");
  say(chat, "fake:team:random", "r1", "U2BEN", "Ben", "Pizza on Friday?", "2026-11-25T08:00");
  const model = scriptedModel(lines);
  const platform = Object.assign(createFakePlatform(), { actions: chat });
  const app = createTestApp(model, {
    sources: shippedSources({ flowPorts: {} }),
    limits: { tool_output_tokens: 4_000 },
  });
  app.chat.connect(platform);
  return { app, chat, platform, model };
}

function say(
  { messages }: FakeChat,
  namespace: string,
  id: string,
  author: string,
  name: string,
  text: string,
  time: string,
) {
  const self = author === "bot";
  messages.push({
    ...{ namespace, id, text, at: at(time), files: [], link: `https://chat.example/${id}` },
    author: { id: author, name, bot: self, self },
  });
}

interface Asked {
  by?: Author;
  namespace?: string;
  mentions?: Mention[];
  verdict?: boolean;
}

/** Runs one turn; whatever asks is decided with `verdict`. */
async function ask(world: ReturnType<typeof createWorld>, text: string, given: Asked = {}) {
  const { by = ann, namespace = general, mentions, verdict = true } = given;
  const { app, model } = world;
  const message = `${model.requests.length}.0`;
  const origin = { message, said_at: at("2026-11-25T09:00"), files: [], in_thread: false };
  const said = { ...origin, ...(mentions === undefined ? {} : { mentions }) };
  const turnId = await app.say(text, { by, namespace, thread: "t1", key: message, origin: said });
  const events: TurnEvent[] = [];
  const asked: TurnEventOf<"approval_requested">[] = [];
  for await (const event of (await app.app.events(turnId, -1, AbortSignal.timeout(10_000))) ?? []) {
    events.push(event);
    if (event.type !== "approval_requested") continue;
    asked.push(event);
    await approve(app.app, event.approval_id, verdict, by);
  }
  const results = events.flatMap((event) => (event.type === "tool_finished" ? [event] : []));
  return { events, asked, results, result: JSON.stringify(results[0]?.output) };
}

const call = (tool: string, given: object): Line[] => [[{ call: `chat_${tool}`, with: given }], "Done."];

describe("reading a channel", () => {
  it("gives who said what, when in the reader's zone, with links, within the range asked for", async () => {
    const { result, events } = await ask(
      createWorld(call("read", { since: "2026-11-24" })),
      "what happened?",
    );
    expect(result).toContain("Fixed the invoice bug.");
    expect(result).toContain("Wed 2026-11-25 09:00");
    expect(result).toContain("https://chat.example/m2");
    expect(result).not.toContain("release branch");
    expect(events.map(({ type }) => type)).not.toContain("answer_private");
  });

  it.each([
    ["a summary is for who asked alone", { alone: true }, "m2"],
    ["what is said in another channel is told to who asked alone", { channel: "#random" }, "Pizza"],
  ])("%s", async (_name, given, found) => {
    const { result, events } = await ask(createWorld(call("read", given)), "summarise");
    expect(result).toContain(found);
    expect(events.map(({ type }) => type)).toContain("answer_private");
    expect(events.at(-1)).toMatchObject({ type: "turn_finished", private: true });
  });

  it.each([
    ["a private channel is not told of elsewhere", ann, "board", "private_channel"],
    ["a private channel one is not in does not exist", dora, "board", "no_channel"],
    ["a channel that is not there", ann, "nowhere", "no_channel"],
    ["a channel the bot is not in", ann, "secret", "no_channel"],
    ["a channel of another workspace", ann, "fake:other:general", "no_channel"],
  ])("refuses: %s", async (_name, by, channel, code) => {
    const { results } = await ask(createWorld(call("read", { channel })), "summarise", { by });
    expect(results[0]).toMatchObject({ status: "error" });
    expect(JSON.stringify(results[0]?.output)).not.toContain("Oslo");
    expect(JSON.stringify(results[0])).toContain(
      code === "private_channel" ? "direct message" : "no channel",
    );
  });

  it("tells of a private channel in the direct messages of somebody who is in it", async () => {
    const world = createWorld(call("read", { channel: "board" }));
    const { result, events } = await ask(world, "summarise", { namespace: "fake:team:dm-U1ANN" });
    expect(result).toContain("Oslo");
    expect(events.map(({ type }) => type)).not.toContain("answer_private");
  });

  it("says what is no time", async () => {
    const { result } = await ask(createWorld(call("read", { since: "next Monday" })), "summarise");
    expect(result).toContain("2026-11-23T09:00");
  });

  it("lists the channels both can read", async () => {
    const { result } = await ask(createWorld(call("read", { channel: "*" })), "which channels?", {
      by: dora,
    });
    expect(result).toContain("random: Lunch");
    expect(result).not.toMatch(/board|secret/);
  });
});

describe("mentioning", () => {
  const mention = (...ids: string[]) => call("mention", { ids });

  it.each([
    [
      "somebody the message mentions",
      ["U3CLEO"],
      "tell her",
      [{ id: "U3CLEO", name: "Cleo", kind: "person" }],
    ],
    ["somebody the message names", ["<@U2BEN>"], "tell ben that it works", undefined],
    ["somebody it names in full", ["U2BEN"], "Benjamin Brown should know", undefined],
    ["a small group it names", ["S1ONCALL"], "ask @oncall", undefined],
  ] as const)("calls %s without asking", async (_name, ids, text, mentions) => {
    const given = mentions === undefined ? {} : { mentions: mentions.map((each) => ({ ...each })) };
    const { asked, events } = await ask(createWorld(mention(...ids)), text, given);
    expect(asked).toEqual([]);
    expect(events.map(({ type }) => type)).toContain("people_named");
  });

  it.each([
    ["somebody nobody named", ["U3CLEO"], "tell everybody who should know"],
    ["a part of a word", ["U2BEN"], "the benefits are clear"],
    ["a large group, although it is named", ["S2ALL"], "tell all-hands"],
  ])("asks first about %s, and a refusal is final", async (_name, ids, text) => {
    const { asked, events } = await ask(createWorld(mention(...ids)), text, { verdict: false });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.approver).toBe("asker");
    expect(events.map(({ type }) => type)).not.toContain("people_named");
  });

  it.each([
    ["500 people at once", Array.from({ length: 50 }, (_, index) => `U${index}`), "There is nobody"],
    ["a group that the person may not notify", ["S3LOCKED"], "may not notify"],
    ["everyone", ["everyone"], "There is nobody"],
  ])("refuses %s", async (_name, ids, said) => {
    const { result, asked } = await ask(createWorld(mention(...ids)), "tell them");
    expect(result).toContain(said);
    expect(asked).toEqual([]);
  });

  it("tells the model how those are mentioned whom the message mentions", async () => {
    const world = createWorld(["Done."]);
    await ask(world, "tell @ben", { mentions: [{ id: "U2BEN", name: "ben]\n[x", kind: "person" }] });
    const said = world.model.requests[0]?.messages.at(-1)?.text ?? "";
    expect(said).toContain("[mentioned: ben x is <@U2BEN>]");
  });
});

describe("sending", () => {
  it("asks with the exact words and place before anything leaves the channel", async () => {
    const world = createWorld(call("send", { to: "#random", text: "Lunch is here." }));
    const { asked } = await ask(world, "post in #random that lunch is here");
    expect(asked[0]).toMatchObject({ approver: "asker", input: { to: "#random", text: "Lunch is here." } });
    const [sent] = world.platform.visible().filter(({ place }) => place.namespace === "fake:team:random");
    expect(sent?.place.thread).toBe("channel");
    expect(sent?.message.markdown).toContain("Lunch is here.");
    expect(sent?.message.markdown).toContain("Sent for Ann");
  });

  it("writes to a person by id, and shows their name when it asks", async () => {
    const world = createWorld(call("send", { to: "U2BEN", text: "The review is at 3." }));
    const { asked } = await ask(world, "tell Ben the review is at 3");
    expect(asked[0]?.question).toContain("a direct message to Benjamin Brown (Ben)");
    expect(world.platform.visible().some(({ place }) => place.namespace === "fake:team:dm-U2BEN")).toBe(true);
  });

  it("sends nothing that was refused", async () => {
    const world = createWorld(call("send", { to: "#random", text: "Lunch is here." }));
    const { result } = await ask(world, "post it", { verdict: false });
    expect(result).toContain("nothing was done");
    expect(world.platform.visible().some(({ place }) => place.namespace === "fake:team:random")).toBe(false);
  });

  it("posts in this channel without asking", async () => {
    const world = createWorld(call("send", { to: "here", text: "The office is closed." }));
    const { asked } = await ask(world, "let the channel know");
    expect(asked).toEqual([]);
    const posted = world.platform.visible().filter(({ place }) => place.thread === "channel");
    expect(posted.map(({ message }) => message.markdown)).toEqual(["The office is closed."]);
  });

  it.each([
    ["an archived channel", ann, "#old", "Nobody can write"],
    ["a channel the person is not in", dora, "#random", "may not"],
    ["a bot", ann, "B1", "Bots are not written to"],
    ["nobody there is", ann, "U7NOBODY", "no channel"],
    ["a file that is not there", ann, "here", "no file"],
  ])("refuses %s", async (_name, by, to, said) => {
    const files = said === "no file" ? ["output/none.csv"] : [];
    const { result, asked } = await ask(createWorld(call("send", { to, text: "x", files })), "send", { by });
    expect(result).toContain(said);
    expect(asked).toEqual([]);
  });
});

describe("acting on messages", () => {
  it.each([
    [{ do: "react", message: "m2", emoji: ":thumbsup:" }, "+thumbsup m2"],
    [{ do: "unreact", message: "m2", emoji: "eyes" }, "-eyes m2"],
  ])("reacts", async (given, done) => {
    const world = createWorld(call("act", given));
    const { asked } = await ask(world, "react");
    expect(world.chat.reactions).toEqual([done]);
    expect(asked).toEqual([]);
  });

  it("pins for those who may, and says so to those who may not", async () => {
    const world = createWorld(call("act", { do: "pin", message: "m1" }));
    world.chat.mayNotPin.add("U4DORA");
    expect((await ask(world, "pin it", { by: dora })).result).toContain("may not pin");
    expect([...world.chat.pins]).toEqual([]);
    const other = createWorld(call("act", { do: "pin", message: "m1" }));
    await ask(other, "pin it");
    expect([...other.chat.pins]).toEqual(["m1"]);
  });

  it.each([
    ["an emoji that is not there", { do: "react", message: "m2", emoji: "no_such_emoji" }, "no emoji"],
    ["no emoji", { do: "react", message: "m2" }, "Which emoji"],
    ["a message of another channel", { do: "react", message: "r1", emoji: "eyes" }, "no message r1"],
    ["to edit what a person wrote", { do: "edit", message: "m2", text: "x" }, "not the bot's own"],
    ["to delete what a person wrote", { do: "delete", message: "m2" }, "not the bot's own"],
  ])("refuses %s", async (_name, given, said) => {
    expect((await ask(createWorld(call("act", given)), "do it")).result).toContain(said);
  });

  it("changes what it posted for this person, not what it posted for somebody else", async () => {
    const posted = call("send", { to: "here", text: "The review is on Friday." });
    const changed = call("act", { do: "edit", message: "m1", text: "It is on Thursday." });
    const world = createWorld([...posted, ...changed, ...changed, ...changed]);
    await ask(world, "post it");
    const [sent] = world.platform.visible().filter(({ place }) => place.thread === "channel");
    world.chat.messages.length = 0;
    say(
      world.chat,
      general,
      sent?.reference ?? "",
      "bot",
      "Knack",
      "The review is on Friday.",
      "2026-11-25T09:00",
    );
    expect((await ask(world, "change it", { by: dora })).result).toContain("somebody else");
    expect(sent?.message.markdown).toBe("The review is on Friday.");
    await ask(world, "change it");
    expect(sent?.message.markdown).toBe("It is on Thursday.");
    expect((await ask(world, "change it", { by: mia })).result).toContain("done");
  });

  it("asks before it deletes when it has read what others wrote", async () => {
    const script: Line[] = [
      ...call("send", { to: "here", text: "The review is on Friday." }),
      [{ call: "chat_read", with: {} }],
      [{ call: "chat_act", with: { do: "delete", message: "m1" } }],
      "Done.",
    ];
    const world = createWorld(script);
    await ask(world, "post it");
    const [sent] = world.platform.visible().filter(({ place }) => place.thread === "channel");
    world.chat.messages.length = 0;
    say(
      world.chat,
      general,
      sent?.reference ?? "",
      "bot",
      "Knack",
      "The review is on Friday.",
      "2026-11-25T09:00",
    );
    const { asked } = await ask(world, "delete it");
    expect(asked.map(({ tool }) => tool)).toEqual(["delete"]);
    expect(sent?.removed).toBe(true);
  });
});
