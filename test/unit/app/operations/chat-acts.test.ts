import { describe, expect, it } from "vitest";
import type { Author } from "../../../../src/core/values/inbound.ts";
import { ask, call, createWorld, dora, general, mia, say } from "../../../support/fakes/chat-world.ts";
import type { Line } from "../../../support/models/scripted-model.ts";

/** Has the bot post these words, which are then the only message of the channel. */
async function posted(world: ReturnType<typeof createWorld>, text: string) {
  await ask(world, "post it");
  const [sent] = world.platform.visible().filter(({ place }) => place.thread === "channel");
  world.chat.messages.length = 0;
  say(world.chat, general, sent?.reference ?? "", "bot", "Knack", text, "2026-11-25T09:00");
  return sent;
}

describe("acting on messages", () => {
  it.each([
    [{ do: "react", message: "m2", emoji: ":thumbsup:" }, "+thumbsup m2"],
    [{ do: "unreact", message: "m2", emoji: "eyes" }, "-eyes m2"],
  ])("the bot reacts to a message and removes its reaction", async (given, done) => {
    const world = createWorld(call("act", given));
    const { asked } = await ask(world, "react");
    expect(world.chat.reactions).toEqual([done]);
    expect(asked).toEqual([]);
  });

  it("the bot pins for people who may pin, and tells those who may not [chat-6]", async () => {
    const world = createWorld(call("act", { do: "pin", message: "m1" }));
    world.chat.mayNotPin.add("U4DORA");
    expect((await ask(world, "pin it", { by: dora })).result).toContain("may not pin");
    expect([...world.chat.pins]).toEqual([]);
    const other = createWorld(call("act", { do: "pin", message: "m1" }));
    await ask(other, "pin it");
    expect([...other.chat.pins]).toEqual(["m1"]);
  });

  it.each(["react", "pin"])("the bot does not %s where the person cannot write", async (act) => {
    const old = "fake:team:old";
    const world = createWorld(call("act", { do: act, message: "o1", emoji: "eyes" }));
    say(world.chat, old, "o1", "U2BEN", "Ben", "Goodbye.", "2026-11-20T08:00");
    expect((await ask(world, "do it", { namespace: old })).result).toContain(
      String.raw`Nobody can write in \"old\"`,
    );
    expect([world.chat.reactions, [...world.chat.pins]]).toEqual([[], []]);
  });

  it.each([
    ["an emoji that is not there", { do: "react", message: "m2", emoji: "no_such_emoji" }, "no emoji"],
    ["no emoji", { do: "react", message: "m2" }, "Which emoji"],
    ["a message of another channel", { do: "react", message: "r1", emoji: "eyes" }, "no message r1"],
    ["to edit what a person wrote", { do: "edit", message: "m2", text: "x" }, "not the bot's own"],
    ["to delete what a person wrote", { do: "delete", message: "m2" }, "not the bot's own"],
  ])("chat_act is refused: %s [chat-6]", async (_name, given, said) => {
    expect((await ask(createWorld(call("act", given)), "do it")).result).toContain(said);
  });

  it("the bot changes what it posted for this person, but not what it posted for somebody else [chat-6]", async () => {
    const post = call("send", { to: "here", text: "The review is on Friday." });
    const changed = call("act", { do: "edit", message: "m1", text: "It is on Thursday." });
    const world = createWorld([...post, ...changed, ...changed, ...changed]);
    const sent = await posted(world, "The review is on Friday.");
    expect((await ask(world, "change it", { by: dora })).result).toContain("somebody else");
    expect(sent?.message.markdown).toBe("The review is on Friday.");
    await ask(world, "change it");
    expect(sent?.message.markdown).toBe("It is on Thursday.");
    expect((await ask(world, "change it", { by: mia })).result).toContain("done");
  });

  it("the bot asks before it deletes a message after reading what others wrote", async () => {
    const script: Line[] = [
      ...call("send", { to: "here", text: "The review is on Friday." }),
      [{ call: "chat_read", with: {} }],
      [{ call: "chat_act", with: { do: "delete", message: "m1" } }],
      "Done.",
    ];
    const world = createWorld(script);
    const sent = await posted(world, "The review is on Friday.");
    const { asked } = await ask(world, "delete it");
    expect(asked.map(({ tool }) => tool)).toEqual(["delete"]);
    expect(sent?.removed).toBe(true);
  });
});

describe("somebody who cannot see the channel any more", () => {
  it.each([
    ["read", {}],
    ["search", { words: "invoice" }],
    ["send", { to: "here", text: "x" }],
    ["act", { do: "react", message: "m2", emoji: "eyes" }],
    ["act", { do: "pin", message: "m2" }],
  ])("somebody who can no longer see the channel cannot use its tools: %s %o", async (tool, given) => {
    const world = createWorld(call(tool, given));
    world.chat.rooms.splice(0, 1, { namespace: general, name: "general", private: true, members: ["U2BEN"] });
    const { result, asked } = await ask(world, "do it");
    expect(result).toContain("cannot be read");
    expect(asked).toEqual([]);
    expect([...world.chat.reactions, ...world.chat.pins]).toEqual([]);
    expect(world.platform.visible().filter(({ place }) => place.thread === "channel")).toEqual([]);
  });
});

describe("a guest", () => {
  const gus: Author = { id: "U2BEN", name: "Gus", trust: "guest" };

  it.each([
    ["mention", { ids: ["U3CLEO"] }],
    ["send", { to: "#random", text: "Lunch is here." }],
  ])("a guest confirms nothing themselves: %s", async (tool, given) => {
    const { asked } = await ask(createWorld(call(tool, given)), "do it", { by: gus, verdict: false });
    expect(asked.map(({ approver }) => approver)).toEqual(["manager"]);
  });
});

it("the bot asks before it changes its own words after reading what others wrote [chat-6]", async () => {
  const world = createWorld([
    ...call("send", { to: "here", text: "Pay to Ann." }),
    [{ call: "chat_read", with: {} }],
    [{ call: "chat_act", with: { do: "edit", message: "m1", text: "Pay to Eve." } }],
    "Done.",
  ]);
  const sent = await posted(world, "Pay to Ann.");
  const { asked } = await ask(world, "what is new?", { verdict: false });
  expect(asked[0]?.input).toEqual({ before: "Pay to Ann.", text: "Pay to Eve." });
  expect(sent?.message.markdown).toBe("Pay to Ann.");
});
