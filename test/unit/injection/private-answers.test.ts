import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../../../src/core/log/turn-event.ts";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import type { TurnLimits } from "../../../src/core/scope/turn.ts";
import { isPrivateTurn } from "../../../src/core/transcript/audience.ts";
import type { Author } from "../../../src/core/values/inbound.ts";
import {
  agents,
  ann,
  ask,
  createWorld,
  dora,
  general,
  inBackground,
  mia,
  say,
  type TestWorld,
} from "../../support/fakes/chat-world.ts";
import type { Line } from "../../support/models/scripted-model.ts";

const secret = "Pizza on Friday";
const guest: Author = { id: "U5GUS", name: "Gus", trust: "guest" };
const read: Line = [{ call: "chat_read", with: { channel: "#random" } }];

/** Whatever the request shows of the private channel. */
const shownIn = (request: ModelRequest | undefined) =>
  JSON.stringify([request?.system, request?.messages]).includes(secret);

/** A model that reads #random first and then repeats whatever it is shown of it. `todo`: what it says and calls before. */
function obeying(limits: Partial<TurnLimits> = {}) {
  const todo: Line[] = [read, `From #random: ${secret}?`];
  const world = createWorld(
    (request) => todo.shift() ?? (shownIn(request) ? `I saw: ${secret}` : "Nothing."),
    limits,
  );
  const says = (text: string, by: Author = ann) => ask(world, text, { by, verdict: false });
  return { world, todo, says };
}

/** What everybody in the channel can see of the bot. */
const inChannel = ({ platform }: TestWorld) =>
  JSON.stringify(
    platform.visible().filter(({ place, only_for }) => place.namespace === general && !only_for),
  );

const lastAnswer = ({ events }: { events: readonly TurnEvent[] }) =>
  events.find((event) => event.type === "turn_finished")?.text;

describe("what was read for one person alone", () => {
  it.each([
    ["a member", dora],
    ["a guest", guest],
  ])(
    "a private reading is one fixed line in the next turn of %s, which is public [private-1, transcript-4]",
    async (_name, by) => {
      const { world, says } = obeying();
      const first = await says("what is new in #random?");
      expect(isPrivateTurn(first.events)).toBe(true);
      const next = await says("what did you tell Ann?", by);
      expect(lastAnswer(next)).toBe("Nothing.");
      const request = world.model.requests.at(-1);
      expect(shownIn(request)).toBe(false);
      expect(request?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
      expect(request?.messages[0]?.text).toContain("what is new in #random?");
      expect(isPrivateTurn(next.events)).toBe(false);
      expect(inChannel(world)).not.toContain(secret);
    },
  );

  it("a private reading stays with its asker, whose later answers in the thread are private and say why [private-2]", async () => {
    const { world, says } = obeying();
    await says("what is new in #random?");
    const next = await says("say that again");
    expect(shownIn(world.model.requests.at(-1))).toBe(true);
    expect(lastAnswer(next)).toBe(`I saw: ${secret}`);
    expect(isPrivateTurn(next.events)).toBe(true);
    expect(inChannel(world)).not.toContain(secret);
    const told = world.platform.visible().at(-1);
    expect(told?.place.namespace).toBe("fake:team:dm-U1ANN");
    expect(told?.message.markdown).toContain("ask in a new thread for an answer that everybody sees");
    expect(lastAnswer(await says("and now me", dora))).toBe("Nothing.");
  });

  it("a private reading never changes what a reader was shown before", async () => {
    const { world, says } = obeying();
    const shown: Record<string, ModelRequest["messages"][]> = { ann: [], dora: [] };
    await says("what is new in #random?");
    for (const [who, by] of [
      ["dora", dora],
      ["ann", ann],
      ["dora", dora],
      ["ann", ann],
    ] as const) {
      await says("go on", by);
      shown[who]?.push(world.model.requests.at(-1)?.messages ?? []);
    }
    for (const [before = [], after = []] of Object.values(shown))
      expect(after.slice(0, before.length)).toEqual(before);
  });

  it("a private reading is in no summary, and in no transcript that somebody else opens [private-3]", async () => {
    const { world, says } = obeying({ transcript_tokens: 9_000 });
    await says(`what is new in #random? ${"Some words of this week. ".repeat(400)}`);
    const requests: ModelRequest[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const from = world.model.requests.length;
      await says(`go on ${"with more words of this week ".repeat(400)}`, dora);
      requests.push(...world.model.requests.slice(from));
    }
    expect(requests.some(({ system }) => system.startsWith("Summarise"))).toBe(true);
    expect(requests.filter(shownIn)).toEqual([]);
  });

  it.each<[string, Line]>([
    ["a message here", [{ call: "chat_send", with: { to: "here", text: secret } }]],
    ["a message elsewhere", [{ call: "chat_send", with: { to: "U2BEN", text: secret } }]],
    ["an edit", [{ call: "chat_act", with: { do: "edit", message: "own", text: secret } }]],
    ["a pin", [{ call: "chat_act", with: { do: "pin", message: "m1" } }]],
    ["a reaction", [{ call: "chat_act", with: { do: "react", message: "m1", emoji: "pizza" } }]],
    ["a fact", [{ call: "memory_remember", with: { text: secret } }]],
    ["a document", [{ call: "memory_learn", with: { text: `${secret}. `.repeat(40), title: "Lunch" } }]],
    ["a file", [{ call: "write_file", with: { name: "lunch.txt", content: secret } }]],
    [
      "a reminder",
      [{ call: "schedule_add", with: { what: "reminder", text: secret, at: "2030-01-02T09:00" } }],
    ],
    ["a task", [{ call: "schedule_add", with: { what: "task", text: secret, cron: "0 9 * * 1" } }]],
  ])(
    "a private reading leaves by %s only when the asker allows exactly that [private-4]",
    async (_name, line) => {
      const todo: Line[] = [read, line, "Done."];
      const world = createWorld(() => todo.shift() ?? "Done.");
      say(world.chat, general, "own", "bot", "Knack", "The review is at 3.", "2026-11-25T08:00");
      const { asked, events } = await ask(world, "what is new in #random?", { by: mia, verdict: false });
      expect(asked).toHaveLength(1);
      expect(asked[0]?.approver).toBe("asker");
      expect(events.filter((event) => event.type === "message_sent")).toEqual([]);
      expect([...world.chat.pins, ...world.chat.reactions]).toEqual([]);
      expect(inChannel(world)).not.toContain(secret);
      expect(await world.kept()).not.toContain(secret);
    },
  );

  it("a private reading cannot be read from a long output by anybody else [private-3]", async () => {
    const { todo, says } = obeying();
    const { results } = await says("what is new in #random?");
    const path = results[0]?.call_id ?? "";
    todo.push([{ call: "read_file", with: { path } }], "Done.");
    const { result } = await says("read on", dora);
    expect(result).not.toContain(secret);
    expect(result).toContain("unknown_file");
  });

  it("a private reading is not told to someone who can no longer read the channel when the answer is ready [private-5]", async () => {
    const { world } = obeying();
    world.chat.access = async (namespace, person) => {
      const room = world.chat.rooms.find((each) => each.namespace === namespace);
      const isGone = world.model.requests.length > 1 && namespace === "fake:team:random";
      if (room === undefined || isGone) return undefined;
      return { namespace, name: room.name, open: true, write: room.members.includes(person), pin: true };
    };
    const { events } = await ask(world, "what is new in #random?");
    expect(lastAnswer({ events })).toContain("no longer read a channel");
    expect(JSON.stringify(world.platform.visible())).not.toContain(secret);
  });

  it("a private reading is neither a reason in the list of runs nor the title of its work in the background [private-6]", async () => {
    const unknown = { call: "chat_read", with: { channel: `#${secret}` } };
    const todo: Line[] = [read, [unknown, inBackground(`Think of ${secret}.`)], "Under way.", secret];
    const world = createWorld(() => todo.shift() ?? "Done.", {}, { profiles: agents });
    const titles: string[] = [];
    world.platform.showState = async (_place, _state, title) => void titles.push(title);
    const { events } = await ask(world, "what is new in #random?");
    const begun = events.find((event) => event.type === "handoff")?.background ?? "";
    expect((await world.app.events(begun)).at(-1)).toMatchObject({ text: secret, private: true });
    const listed = await ask(world, "/skill runs", { by: dora });
    expect(lastAnswer(listed)).toContain("**chat#read** failed");
    expect(lastAnswer(listed)).not.toContain(secret);
    expect(titles).toContain("what is new in #random?");
    expect(titles.join()).not.toContain(secret);
    expect(inChannel(world)).not.toContain(secret);
  });

  it("a private reading is not in the reason of what waits for a decision in the channel [private-6]", async () => {
    const todo: Line[] = [
      read,
      [{ call: "web_read", with: { url: "https://pizza.example/friday" } }],
      "Done.",
    ];
    const { app } = createWorld(() => todo.shift() ?? "Done.");
    const turn = await app.say("what is new in #random?", { by: ann, namespace: general });
    const { reason } = await app.until(turn, "approval_requested");
    expect(reason).toContain("pizza.example");
    await app.until(turn, "turn_waiting");
    const asker = { by: dora, namespace: general };
    const listed = await app.app.run("approval.list", { input: { namespace: general }, asker });
    expect(listed).toMatchObject({ value: { open: [{ asker: "Ann", approver: "asker" }] } });
    expect(JSON.stringify(listed)).not.toContain("pizza");
  });
});
