import { describe, expect, it } from "vitest";
import { objectOf } from "../../../../src/core/values/json.ts";
import { approve } from "../../../support/bot/ask-app.ts";
import {
  agents,
  ann,
  ask,
  call,
  createWorld,
  dora,
  general,
  inBackground,
  say,
} from "../../../support/fakes/chat-world.ts";
import { exited, fakeCode } from "../../../support/fakes/fake-code.ts";
import { runThatWrites } from "../../../support/fakes/folder-code.ts";
import { follow } from "../../../support/follow.ts";
import type { Line } from "../../../support/models/scripted-model.ts";

describe("reading a channel", () => {
  it("reading a channel gives authors, texts and times in the reader's zone, with links, within the requested range", async () => {
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
  ])("reading a channel: %s [chat-1]", async (_name, given, found) => {
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
  ])("reading a channel keeps its limits: %s [chat-1]", async (_name, by, channel, code) => {
    const { results } = await ask(createWorld(call("read", { channel })), "summarise", { by });
    expect(results[0]).toMatchObject({ status: "error" });
    expect(JSON.stringify(results[0]?.output)).not.toContain("Oslo");
    expect(JSON.stringify(results[0])).toContain(
      code === "private_channel" ? "direct message" : "no channel",
    );
  });

  it("reading a private channel works in the direct messages of somebody who is in it", async () => {
    const world = createWorld(call("read", { channel: "board" }));
    const { result, events } = await ask(world, "summarise", { namespace: "fake:team:dm-U1ANN" });
    expect(result).toContain("Oslo");
    expect(events.map(({ type }) => type)).not.toContain("answer_private");
  });

  it("reading and searching leave out the message that asks", async () => {
    const world = createWorld([...call("read", {}), ...call("search", { words: "invoice bug" })]);
    for (const id of ["0.0", "2.0"])
      say(world.chat, general, id, "U1ANN", "Ann", "Where was the invoice bug?", "2026-11-25T09:00");
    for (const _ of ["read", "search"]) {
      const { result } = await ask(world, "where was the invoice bug?");
      expect(result).toContain("Fixed the invoice bug.");
      expect(result?.match(/Where was/g)?.length).toBe(1);
    }
  });

  it("reading a channel names a time that cannot be understood", async () => {
    const { result } = await ask(createWorld(call("read", { since: "when it rained" })), "summarise");
    expect(result).toContain("2026-11-23T09:00");
  });

  it("a search does not find its own question where a platform knows messages by other references", async () => {
    const world = createWorld(call("search", { words: "release" }));
    world.chat.reference = async (_place, message) => `room:${message}`;
    say(world.chat, general, "room:r1", "U2BEN", "Ben", "The release is on Friday", "2026-11-24T08:00");
    say(world.chat, general, "room:0.0", "U1ANN", "Ann", "When is the release?", "2026-11-25T09:00");
    const { result } = await ask(world, "When is the release?");
    expect(result).toContain("Friday");
    expect(result).not.toContain("When is");
  });

  it.each([
    ["ben", "invoice bug"],
    ["@Benjamin Brown", "invoice bug"],
    ["<@U2BEN>", "invoice bug"],
    ["<@U99LEFT>", "old invoice"],
    ["Will", "may be one of several"],
    ["Bem", String.raw`Possible: \"Ben\" (U2BEN) \"Benjamin Brown\"`],
  ])("a search takes its author %s by name, id or mention", async (from, found) => {
    const world = createWorld(call("search", { words: "invoice", from }));
    say(world.chat, general, "m9", "U99LEFT", "Lee", "The old invoice.", "2026-11-24T08:00");
    const { result } = await ask(world, "what was it?");
    expect(result).toContain(found);
    expect(result?.match(/invoice/gi)?.length ?? 0).toBeLessThan(2);
  });

  it("listing channels gives those that both the person and the bot can read", async () => {
    const { result } = await ask(createWorld(call("read", { channel: "*" })), "which channels?", {
      by: dora,
    });
    expect(result).toContain(String.raw`\"random\" (fake:team:random): Lunch`);
    expect(result).not.toMatch(/board|secret/);
  });
});

describe("code that reads the chat", () => {
  /** Code that reads this channel, and what it got. */
  const reads = (channel: string) => {
    const got: unknown[] = [];
    const code = fakeCode(async ({ onCall }) => {
      got.push(await onCall?.("chat_read", { channel }).catch((error: Error) => error.message));
      return exited("done");
    });
    return { code, got };
  };
  const run = { call: "run_code", with: { language: "python", code: "x" } };

  it("code reads no other channel in the middle of a run, whose files everybody sees [private-8]", async () => {
    const { code, got } = reads("#random");
    const world = createWorld([[run], "Done."], {}, { code });
    const { events } = await ask(world, "summarise #random with code");
    expect(got).toEqual([expect.stringContaining("A person has to be asked")]);
    expect(events.map(({ type }) => type)).not.toContain("answer_private");
  });

  it("code reads another channel in a turn that is private already, after the asker agreed to its files", async () => {
    const { code, got } = reads("#random");
    const world = createWorld(
      [...call("read", { channel: "#random" }).slice(0, 1), [run], "Done."],
      {},
      { code },
    );
    const { asked } = await ask(world, "summarise #random, then count with code");
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(got)).toContain("Pizza");
  });
});

describe("a file of another thread of the channel", () => {
  const csv = { id: "F1", name: "orders.csv", media_type: "text/csv", bytes: 20 };
  const withFile = (given: object, namespace = general) => {
    const world = createWorld([[{ call: "read_file", with: { path: "orders.csv", ...given } }], "Done."]);
    say(world.chat, namespace, "f1", "U2BEN", "Ben", "The orders", "2026-11-25T08:00");
    for (const message of world.chat.messages) if (message.id === "f1") message.files = [csv];
    world.platform.files.set("F1", new TextEncoder().encode("city,late\nOslo,3\n"));
    return world;
  };

  it("a file of another thread is read by its message, and is a file of this thread then", async () => {
    const world = withFile({ message: "f1" });
    const { result } = await ask(world, "fix the numbers");
    expect(result).toContain("it is now /workspace/input/orders.csv");
    expect(result).toContain("Oslo");
    const { files } = await world.app.folders.of({ namespace: general, thread: "t1" }).list();
    expect(files.map(({ path, by }) => [path, by])).toEqual([["/workspace/input/orders.csv", "Ben"]]);
  });

  it("a file that the message does not have is refused with the names that it has", async () => {
    const { result } = await ask(withFile({ message: "f1", path: "sales.csv" }), "read it");
    expect(result).toContain("It has: orders.csv.");
  });

  it("a file of another channel cannot be opened, nor by somebody who can no longer read the channel [chat-3]", async () => {
    const other = await ask(withFile({ message: "f1" }, "fake:team:board"), "read it");
    expect(other.result).toContain("no message f1 in this channel");
    const world = withFile({ message: "f1" });
    world.chat.rooms.splice(0, 1, { namespace: general, name: "general", private: true, members: ["U2BEN"] });
    expect((await ask(world, "read it")).result).toContain("cannot be read");
    expect(world.platform.calls.filter(({ call: made }) => made === "download")).toEqual([]);
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
    ["somebody the message names", ["<@U2BEN>"], "tell Ben that it works", undefined],
    ["somebody it names after an @", ["<@U2BEN>"], "@ben it works", undefined],
    ["somebody it names in full", ["U2BEN"], "Benjamin Brown should know", undefined],
    ["a small group it names", ["S1ONCALL"], "ask @oncall", undefined],
    ["two that it names", ["U2BEN", "U9MIA"], "Please tell Ben and Mia about it", undefined],
    ["somebody by the name that it has", ["Ben"], "tell Ben that it works", undefined],
    [
      "a person and a group by their names",
      ["benjamin brown", "@oncall"],
      "ask @oncall and Benjamin Brown",
      undefined,
    ],
    ["somebody it names in German", ["U2BEN"], "Frag bitte Ben, ob die Rechnung bezahlt ist", undefined],
  ] as const)("the bot calls %s without asking", async (_name, ids, text, mentions) => {
    const given = mentions === undefined ? {} : { mentions: mentions.map((each) => ({ ...each })) };
    const { asked, events } = await ask(createWorld(mention(...ids)), text, given);
    expect(asked).toEqual([]);
    expect(events.map(({ type }) => type)).toContain("people_named");
  });

  it.each([
    ["somebody nobody named", ["U3CLEO"], "tell everybody who should know"],
    ["a part of a word", ["U2BEN"], "the benefits are clear"],
    ["a part of a word with a capital", ["U2BEN"], "the Benefits are clear"],
    ["a name without its capital", ["U2BEN"], "tell ben that it works"],
    ["a name at the beginning, where every word has a capital", ["U2BEN"], "It works. Ben says so"],
    ["a name that is a unit", ["U14MARK"], "Das kostet 5 Franken"],
    ["a name that is a word", ["U6EVE"], "What ever is new?"],
    ["a group that is named without an @", ["S1ONCALL"], "ask oncall"],
    ["a large group, although it is named", ["S2ALL"], "tell all-hands"],
    ["somebody whose first name is a word", ["U6EVE"], "what is new?"],
    ["somebody whose first name begins the sentence", ["U7WILL"], "Will you look at it?"],
    ["somebody whose name a verb is", ["U8MARK"], "Mark it as done, please"],
    ["somebody whose name a noun is", ["U8MARK"], "Das kostet 5 Mark"],
    ["somebody whose name follows what is told", ["U6EVE"], "Tell Ann what is new"],
    ["one of two who are called alike here", ["U7WILL"], "ask Will about it"],
    ["somebody who is elsewhere, by the first name", ["U3CLEO"], "ask Cleo about it"],
    ["somebody who is elsewhere, by a name of the model's", ["Cleo"], "tell everybody who should know"],
    ["a group whose name is a word", ["S4DESIGN"], "I want to design what is new"],
  ])("the bot asks before it calls %s, and a refusal is final [chat-4]", async (_name, ids, text) => {
    const { asked, events } = await ask(createWorld(mention(...ids)), text, { verdict: false });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.approver).toBe("asker");
    expect(events.map(({ type }) => type)).not.toContain("people_named");
  });

  it.each([
    ["500 people at once", Array.from({ length: 50 }, (_, index) => `U${index}`), "There is nobody"],
    ["a group that the person may not notify", ["S3LOCKED"], "may not notify"],
    ["everyone", ["everyone"], "There is nobody"],
    [
      "one of two with the same name",
      ["Will"],
      String.raw`\"Will Smith\" (U7WILL); \"Will\" (U10WILL) \"William Tell\"`,
    ],
    ["a name without letters", ["🎉"], String.raw`There is nobody called \"…\"`],
    ["a name that nobody has", ["Bem"], String.raw`Possible: \"Ben\" (U2BEN) \"Benjamin Brown\"`],
  ])("mentioning is refused: %s [chat-4]", async (_name, ids, said) => {
    const { result, asked } = await ask(createWorld(mention(...ids)), "tell them");
    expect(result).toContain(said);
    expect(asked).toEqual([]);
  });

  it("a turn calls at most 20 people and asks about no more [chat-4]", async () => {
    const ids = Array.from({ length: 21 }, (_, at) => `U5P${at}`);
    const world = createWorld(mention(...ids));
    world.chat.known.push(...ids.map((id) => ({ id, name: `Person ${id}`, here: true })));
    const { result, asked } = await ask(world, "tell them");
    expect(result).toContain("may mention 20 people");
    expect(asked).toEqual([]);
  });

  it("an agent in the background asks before it calls somebody whom its task names: another agent wrote that [chat-4]", async () => {
    const lines: Line[] = [[inBackground("Tell Ben it is done.")], "Under way.", ...mention("U2BEN")];
    const world = createWorld(lines, {}, { profiles: agents });
    const { events } = await ask(world, "what is new?");
    const begun = events.find((event) => event.type === "handoff")?.background ?? "";
    const asked = await world.app.until(begun, "approval_requested");
    expect(asked).toMatchObject({ says: { deed: 'mention "Benjamin Brown", "Ben" <@U2BEN>' } });
  });

  it("the model is told how to mention the people whom the message mentions", async () => {
    const world = createWorld(["Done."]);
    await ask(world, "tell @ben", { mentions: [{ id: "U2BEN", name: "ben]\n[x", kind: "person" }] });
    const said = world.model.requests[0]?.messages.at(-1)?.text ?? "";
    expect(said).toContain('[mentioned: "ben x…" is <@U2BEN>]');
  });
});

/** A world where a channel and a person have the same name. */
function worldOfPat(lines: Line[]) {
  const world = createWorld(lines);
  world.chat.rooms.push({ namespace: "fake:team:pat", name: "pat", members: ["U1ANN"] });
  world.chat.known.push({ id: "U12PAT", name: "Pat", full_name: "Pat Doe", here: false });
  return world;
}

describe("sending", () => {
  it("sending asks with the exact words and place before anything leaves the channel [chat-5]", async () => {
    const world = createWorld(call("send", { to: "#random", text: "Lunch is here." }));
    const by = { ...ann, name: "Ann [here](https://evil.example)" };
    const { asked } = await ask(world, "post in #random that lunch is here", { by });
    expect(asked[0]).toMatchObject({
      approver: "asker",
      input: { to: '"random" <#random>', text: "Lunch is here." },
    });
    const [sent] = world.platform.visible().filter(({ place }) => place.namespace === "fake:team:random");
    expect(sent?.place.thread).toBe("channel");
    expect(sent?.message.markdown).toContain("Lunch is here.");
    expect(sent?.message.markdown).toContain("Sent for Ann \\[here\\](https://evil.example)");
  });

  it("sending to a person by id shows their name when it asks", async () => {
    const world = createWorld(call("send", { to: "U2BEN", text: "The review is at 3." }));
    const { asked } = await ask(world, "tell Ben the review is at 3");
    expect(asked[0]?.says?.deed).toContain('send "Benjamin Brown", "Ben" <@U2BEN>');
    expect(world.platform.visible().some(({ place }) => place.namespace === "fake:team:dm-U2BEN")).toBe(true);
  });

  it.each([
    ["Cleo", 'send "Cleo" <@U3CLEO> a direct message', "dm-U3CLEO"],
    ["benjamin brown", 'send "Benjamin Brown", "Ben" <@U2BEN> a direct message', "dm-U2BEN"],
    ["@Ben", 'send "Benjamin Brown", "Ben" <@U2BEN> a direct message', "dm-U2BEN"],
    ["<@U2BEN>", 'send "Benjamin Brown", "Ben" <@U2BEN> a direct message', "dm-U2BEN"],
    ["random", 'send a message to "random" <#random>', "random"],
    ["<#random|random>", 'send a message to "random" <#random>', "random"],
    ["#pat", 'send a message to "pat" <#pat>', "pat"],
    ["@pat", 'send "Pat Doe", "Pat" <@U12PAT> a direct message', "dm-U12PAT"],
  ])("sending to %s asks to %s [chat-5]", async (to, deed, place) => {
    const world = worldOfPat(call("send", { to, text: "At 3." }));
    const { asked } = await ask(world, "tell them it is at 3");
    expect(asked.map(({ says }) => says?.deed)).toEqual([deed]);
    expect(world.platform.visible().map((each) => each.place.namespace)).toContain(`fake:team:${place}`);
  });

  it.each([
    [
      "pat",
      String.raw`\"pat\" may be one of several.`,
      String.raw`Possible: #\"pat\" (fake:team:pat); \"Pat\" (U12PAT) \"Pat Doe\".`,
    ],
    [
      "Will",
      String.raw`\"Will\" may be one of several.`,
      String.raw`Possible: \"Will Smith\" (U7WILL); \"Will\" (U10WILL) \"William Tell\".`,
    ],
    [
      "rando",
      String.raw`no channel and nobody called \"rando\"`,
      String.raw`Possible: #\"random\" (fake:team:random).`,
    ],
    ["Cleoo", String.raw`no channel and nobody called \"Cleoo\"`, String.raw`Possible: \"Cleo\" (U3CLEO).`],
    [
      "#rando",
      String.raw`no channel \"rando\"`,
      String.raw`Possible: #\"random\" (fake:team:random). Otherwise: Tell the person`,
    ],
    ["@Cleoo", String.raw`nobody called \"Cleoo\"`, String.raw`Possible: \"Cleo\" (U3CLEO).`],
    ["oncall", String.raw`no channel and nobody called \"oncall\"`, "Look people up"],
    ["secret", String.raw`no channel and nobody called \"secret\"`, "Look people up"],
  ])("sending to %s is not guessed: %s", async (to, said, possible) => {
    const { result, asked } = await ask(worldOfPat(call("send", { to, text: "x" })), "tell them");
    expect(result).toContain(said);
    expect(result).toContain(possible);
    expect(result).not.toContain("#secret");
    expect(asked).toEqual([]);
  });

  it("a refused message is not sent", async () => {
    const world = createWorld(call("send", { to: "#random", text: "Lunch is here." }));
    const { result } = await ask(world, "post it", { verdict: false });
    expect(result).toContain("nothing was done");
    expect(world.platform.visible().some(({ place }) => place.namespace === "fake:team:random")).toBe(false);
  });

  it("the bot posts in the current channel without asking", async () => {
    const world = createWorld(call("send", { to: "here", text: "The office is closed." }));
    const { asked } = await ask(world, "let the channel know");
    expect(asked).toEqual([]);
    const posted = world.platform.visible().filter(({ place }) => place.thread === "channel");
    expect(posted.map(({ message }) => message.markdown)).toEqual(["The office is closed."]);
  });

  describe("a poll", () => {
    const poll = { answers: ["Pizza", "Soup"], hours: 2 };
    const lunch = (to: string, text = "What for lunch?") => call("send", { to, text, poll });

    it("a poll is the platform's own where it has polls, with the question beside the text", async () => {
      const world = createWorld(lunch("#random"));
      Object.assign(world.chat, { polls: true });
      const { asked } = await ask(world, "ask #random about lunch");
      expect(asked[0]?.input).toMatchObject({ text: "What for lunch?\n\n1. Pizza\n2. Soup" });
      expect(asked[0]?.says?.edits).toBeUndefined();
      const [sent] = world.platform.visible().filter(({ place }) => place.namespace === "fake:team:random");
      expect(sent?.message.poll).toEqual({ question: "What for lunch?", ...poll, several: false });
      expect(sent?.message.markdown).toBe("*Sent for Ann*");
    });

    it("a poll has numbered answers elsewhere, which people choose by the bot's reactions", async () => {
      const world = createWorld(lunch("here"));
      await ask(world, "ask the channel about lunch");
      const [posted] = world.platform.visible().filter(({ place }) => place.thread === "channel");
      expect(posted?.message).not.toHaveProperty("poll");
      expect(posted?.message.markdown).toBe(
        "What for lunch?\n\n1. Pizza\n2. Soup\n\n*React with the number.*",
      );
      expect(world.chat.reactions.map((each) => each.split(" ")[0])).toEqual(["+one", "+two"]);
    });

    it("a poll whose question is too long is refused before anybody is asked", async () => {
      const { result, asked } = await ask(createWorld(lunch("#random", "x".repeat(301))), "ask them");
      expect(result).toContain("at most 300 characters");
      expect(asked).toEqual([]);
    });
  });

  it("a file is sent with the content that was asked about, and another content is asked about again [asks-9]", async () => {
    const send = { call: "chat_send", with: { to: "#random", text: "The plan", files: ["output/plan.txt"] } };
    const world = createWorld([[send], "Done."]);
    const folder = world.app.folders.of({ namespace: general, thread: "t1" });
    await runThatWrites(folder, { "output/plan.txt": "harmless" });
    const turnId = await world.app.say("send the plan to #random", {
      ...{ by: ann, namespace: general, thread: "t1", key: "0.0" },
      origin: { message: "0.0", said_at: 0, files: [], in_thread: false },
    });
    const shown: unknown[] = [];
    for await (const event of follow(world.app.app, turnId)) {
      if (event.type !== "approval_requested") continue;
      shown.push(objectOf(event.input).files);
      if (shown.length === 1) await runThatWrites(folder, { "output/plan.txt": "vault-code-4711" });
      await approve(world.app.app, event.approval_id, shown.length < 3, ann);
    }
    expect(shown).toEqual([
      [expect.stringMatching(/^plan\.txt \(8 B, SHA-256 \w{16}…\)$/)],
      [expect.stringMatching(/^plan\.txt \(15 B, SHA-256 \w{16}…\)$/)],
    ]);
  });

  it("a turn stops sending at its maximum number of messages", async () => {
    const lines = Array.from({ length: 24 }, (_, at) => ({
      call: "chat_send",
      with: { to: "here", text: `Message ${at}` },
    }));
    const world = createWorld([lines, "Done."]);
    const { results } = await ask(world, "send them all");
    expect(JSON.stringify(results.at(-1)?.output)).toContain("at most 20 messages");
    const posted = world.platform.visible().filter(({ place }) => place.thread === "channel");
    // Those that are on their way at the same time may all be sent.
    expect([20, 21, 22]).toContain(posted.length);
  });

  it.each([
    ["an archived channel", ann, "#old", "Nobody can write"],
    ["a channel the person is not in", dora, "#random", "may not"],
    ["a bot", ann, "B1", "Bots are not written to"],
    ["nobody there is", ann, "U7NOBODY", String.raw`nobody called \"U7NOBODY`],
    ["a file that is not there", ann, "here", "no file"],
  ])("sending is refused: %s", async (_name, by, to, said) => {
    const files = said === "no file" ? ["output/none.csv"] : [];
    const { result, asked } = await ask(createWorld(call("send", { to, text: "x", files })), "send", { by });
    expect(result).toContain(said);
    expect(asked).toEqual([]);
  });
});
