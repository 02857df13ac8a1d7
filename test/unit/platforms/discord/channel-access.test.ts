import { describe, expect, it } from "vitest";
import {
  exampleGuild,
  privateThread,
  room,
  useChatRigs,
  withPrivateThread,
} from "../../../support/discord/chat-rig.ts";
import { ids } from "../../../support/discord/example-world.ts";
import type { PermissionName } from "../../../support/discord/world/permission-bits.ts";

const rig = useChatRigs();
const general = room(ids.general);

describe("what a person may", () => {
  it("a private thread can be read by those who are in it only", async () => {
    const { actions } = await rig(withPrivateThread());
    expect(await actions.access(room(privateThread), ids.adam)).toMatchObject({
      name: "talk",
      open: false,
      write: true,
    });
    expect(await actions.access(room(privateThread), ids.mia)).toBeUndefined();
  });

  it("a private thread cannot be read as one of the channel above it", async () => {
    const { actions, discord } = await rig(withPrivateThread());
    const id = await discord.say({ user: ids.adam, channel: privateThread, content: "a secret word" });
    await expect(
      actions.history({ namespace: general, thread: privateThread }, { most: 10 }),
    ).rejects.toMatchObject({
      code: "gone",
    });
    expect(await actions.message(general, `${privateThread}:${id}`)).toBeUndefined();
    expect(await actions.message(room(privateThread), `${privateThread}:${id}`)).toMatchObject({
      text: "a secret word",
    });
    await expect(actions.react?.(general, `${privateThread}:${id}`, "eyes", true)).rejects.toMatchObject({
      code: "gone",
    });
    const query = { words: ["secret"], most: 5 };
    expect(await actions.search?.(general, query)).toEqual([]);
    expect(await actions.search?.(room(privateThread), query)).toHaveLength(1);
  });

  it("another channel cannot be read as a thread of this one", async () => {
    const { actions, discord } = await rig();
    await discord.say({ user: ids.olivia, channel: ids.announcements, content: "elsewhere" });
    const { messages } = await actions.history(
      { namespace: general, thread: ids.announcements },
      { most: 10 },
    );
    expect(messages).toEqual([]);
  });

  it("a locked thread cannot be written in, unless the person and the bot manage threads", async () => {
    const { actions } = await rig(withPrivateThread(true));
    expect(await actions.access(room(privateThread), ids.adam)).toMatchObject({ write: false });
  });

  it("a person in a timeout can neither write nor pin", async () => {
    const { actions } = await rig(
      exampleGuild(({ members }) => ({
        everyone: ["ViewChannel", "ReadMessageHistory", "SendMessages", "PinMessages"],
        members: members.map((member) => (member.user === ids.adam ? { ...member, timedOut: true } : member)),
      })),
    );
    expect(await actions.access(general, ids.adam)).toMatchObject({ write: false, pin: false });
    expect(await actions.access(general, ids.mia)).toMatchObject({ write: true, pin: true });
  });

  it("a person with Manage Messages alone cannot pin", async () => {
    const { actions } = await rig();
    expect(await actions.access(general, ids.mia)).toMatchObject({ pin: false });
  });

  it("a voice channel that a person may not connect to cannot be read", async () => {
    const world = (deny: readonly PermissionName[]) =>
      exampleGuild((guild) => ({
        channels: guild.channels.map((channel) =>
          channel.id === ids.voice
            ? { ...channel, overwrites: [{ id: ids.adam, kind: "member" as const, deny }] }
            : channel,
        ),
      }));
    const { actions: free } = await rig(world([]));
    expect(await free.access(room(ids.voice), ids.adam)).toMatchObject({ open: true });
    const { actions: closed } = await rig(world(["Connect"]));
    expect(await closed.access(room(ids.voice), ids.adam)).toBeUndefined();
  });
});
