import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChatActions } from "../../../src/core/ports/chat-actions.ts";
import { channelThread, PlatformError } from "../../../src/core/ports/chat-platform.ts";

/** A world in which a platform's `ChatActions` are tried. */
export interface ChatActionsUnderContract {
  actions: ChatActions;
  /** Namespaces. In all of them but `absent` the bot is a member. */
  rooms: {
    /** Everybody of the workspace may read it; `member` is in it. */
    open: string;
    /** Only members may read it; `member` is in it, `other` is not. */
    closed: string;
    archived: string;
    /** The bot is not in it. */
    absent: string;
    /** Of another workspace. */
    foreign: string;
    /** The direct messages of `member` with the bot. */
    direct: string;
  };
  /** Platform ids. */
  people: { member: string; other: string; guest: string };
  /** What `member` is called, and how a group is found and named. */
  names: { member: string; group: string };
  /** Somebody writes; answers the message's reference. `ago` in ms. */
  say(
    namespace: string,
    person: string,
    text: string,
    more?: { thread?: string; ago?: number },
  ): Promise<string>;
  /**
   * An app posts `title` and `detail` in the platform's rich parts, with a button `label` and no plain text; with `forward`, a person forwards
   * such a message and writes nothing. Answers the message's reference.
   */
  sayInParts(
    namespace: string,
    person: string,
    words: { title: string; detail: string; label: string },
    more?: { forward?: true },
  ): Promise<string>;
  /** Names of the bot's reactions to a message, and whether it is pinned. */
  state(namespace: string, reference: string): Promise<{ reactions: number; pinned: boolean }>;
  close(): Promise<void>;
}

const hour = 3_600_000;

/** What every platform's `ChatActions` promise. */
export function describeChatActions(name: string, open: () => Promise<ChatActionsUnderContract>): void {
  describe(`chat actions of ${name}`, () => {
    let world: ChatActionsUnderContract;
    beforeAll(async () => {
      world = await open();
    });
    afterAll(() => world.close());

    it("chat actions tell where a person may read and write at the moment", async () => {
      const { actions, rooms, people } = world;
      const access = (room: keyof typeof rooms, person: keyof typeof people) =>
        actions.access(rooms[room], people[person]);
      expect(await access("open", "member")).toMatchObject({ write: true, open: true });
      expect(await access("closed", "member")).toMatchObject({ write: true, open: false });
      expect(await access("closed", "other")).toBeUndefined();
      expect(await access("archived", "member")).toMatchObject({ write: false });
      expect(await access("absent", "member")).toBeUndefined();
      expect(await access("foreign", "member")).toBeUndefined();
      expect(await access("open", "guest")).toBeUndefined();
      expect(await access("direct", "member")).toMatchObject({ write: true, open: false });
      expect(await access("direct", "other")).toBeUndefined();
    });

    it("chat actions list the channels that both the person and the bot can read", async () => {
      const { actions, rooms, people } = world;
      const of = async (person: string) =>
        (await actions.channels(rooms.open, person)).map(({ namespace }) => namespace);
      expect(await of(people.member)).toEqual(expect.arrayContaining([rooms.open, rooms.closed]));
      const others = await of(people.other);
      expect(others).toContain(rooms.open);
      expect(others).not.toContain(rooms.closed);
      expect(others).not.toContain(rooms.absent);
    });

    it("chat actions read a range, keeping the latest, in order from the oldest", async () => {
      const { actions, rooms, people, say } = world;
      const now = Date.now();
      for (const [text, ago] of [
        ["one", 5 * hour],
        ["two", 3 * hour],
        ["three", 1 * hour],
      ] as const)
        await say(rooms.open, people.member, text, { ago });
      const place = { namespace: rooms.open, thread: channelThread };
      const texts = async (range: { since?: number; until?: number; most: number }) => {
        const { messages, more } = await actions.history(place, range);
        return [...messages.map(({ text }) => text), more];
      };
      expect(await texts({ since: now - 4 * hour, most: 10 })).toEqual(["two", "three", false]);
      expect(await texts({ since: now - 6 * hour, until: now - 2 * hour, most: 10 })).toEqual([
        "one",
        "two",
        false,
      ]);
      expect(await texts({ since: now - 6 * hour, most: 1 })).toEqual(["three", true]);
      const [message] = (await actions.history(place, { most: 1 })).messages;
      expect(message?.author).toMatchObject({ id: people.member, name: world.names.member, self: false });
      expect(message?.link).toMatch(/^https:\/\//);
    });

    it("chat actions read a thread, and find a message in it", async () => {
      const { actions, rooms, people, say } = world;
      const root = await say(rooms.open, people.member, "a question");
      const [thread] = (await actions.history({ namespace: rooms.open, thread: channelThread }, { most: 1 }))
        .messages;
      expect(thread?.id).toBe(root);
      const reply = await say(rooms.open, people.member, "an answer", { thread: root });
      const found = await actions.message(rooms.open, reply);
      expect(found?.text).toBe("an answer");
      const place = { namespace: rooms.open, thread: found?.thread ?? "" };
      const { messages } = await actions.history(place, { most: 10 });
      expect(messages.map(({ text }) => text)).toContain("an answer");
      expect(messages.map(({ text }) => text)).not.toContain("three");
    });

    it("chat actions read what apps say in rich parts, and such a message forwarded", async () => {
      const { actions, rooms, people, sayInParts } = world;
      const words = { title: "Build 9 is red", detail: "step 3 of 9", label: "Retry" };
      for (const more of [{}, { forward: true as const }]) {
        const reference = await sayInParts(rooms.open, people.member, words, more);
        const found = await actions.message(rooms.open, reference);
        const place = { namespace: rooms.open, thread: channelThread };
        const { messages } = await actions.history(place, { most: 1 });
        for (const text of [found?.text, messages[0]?.text])
          for (const word of Object.values(words)) expect(text?.split(word)).toHaveLength(2);
      }
    });

    it("chat actions know no message that does not exist", async () => {
      const { actions, rooms } = world;
      expect(await actions.message(rooms.open, "1700000000.000001")).toBeUndefined();
      expect(await actions.message(rooms.open, "nonsense")).toBeUndefined();
    });

    it("chat actions find people and groups", async () => {
      const { actions, rooms, people, names } = world;
      const find = async (words: string, room = rooms.open) =>
        actions.people?.(room, { words, asker: people.member, most: 20 });
      const byName = await find(names.member);
      expect(byName?.people[0]).toMatchObject({ id: people.member, here: true });
      expect((await find(people.member))?.people.map(({ id }) => id)).toEqual([people.member]);
      expect((await find(names.group))?.groups).toHaveLength(1);
      expect((await find("nobody is called this"))?.people).toEqual([]);
      const other = (await find("", rooms.closed))?.people.find(({ id }) => id === people.other);
      if (other !== undefined) expect(other.here).toBe(false);
    });

    it("chat actions react and pin once, and take both away again", async () => {
      const { actions, rooms, people, say, state } = world;
      const reference = await say(rooms.open, people.member, "a good idea");
      for (const on of [true, true, false, false]) {
        await actions.react?.(rooms.open, reference, "thumbsup", on);
        await actions.pin?.(rooms.open, reference, on);
        expect(await state(rooms.open, reference)).toEqual({ reactions: on ? 1 : 0, pinned: on });
      }
    });

    it("chat actions know an emoji by its name and by the character itself", async () => {
      const { actions, rooms, people, say, state } = world;
      const reference = await say(rooms.open, people.member, "another good idea");
      await actions.react?.(rooms.open, reference, "👍", true);
      await actions.react?.(rooms.open, reference, "+1", true);
      expect(await state(rooms.open, reference)).toMatchObject({ reactions: 1 });
      await actions.react?.(rooms.open, reference, "👍", false);
      expect(await state(rooms.open, reference)).toMatchObject({ reactions: 0 });
    });

    it("chat actions say what is not an emoji, and what cannot be reached", async () => {
      const { actions, rooms, people, say } = world;
      const reference = await say(rooms.open, people.member, "hm");
      await expect(actions.react?.(rooms.open, reference, "No Emoji!", true)).rejects.toThrow(PlatformError);
      await expect(
        actions.history({ namespace: rooms.absent, thread: channelThread }, { most: 1 }),
      ).rejects.toThrow(PlatformError);
    });

    it("chat actions open the direct messages with somebody", async () => {
      const { actions, rooms, people } = world;
      const place = await actions.direct?.(rooms.open, people.member);
      expect(place?.namespace).toBe(rooms.direct);
    });
  });
}
