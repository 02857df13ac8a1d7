import { describe, expect, it } from "vitest";
import {
  exampleGuild,
  privateThread,
  room,
  useChatRigs,
  withPrivateThread,
} from "../../../support/discord/chat-rig.ts";
import { ids } from "../../../support/discord/example-world.ts";
import type { PermissionName } from "../../../support/discord/permission-bits.ts";

const rig = useChatRigs();
const general = room(ids.general);

describe("what a person may", () => {
  it("is to read a private thread for those who are in it alone", async () => {
    const { actions } = await rig(withPrivateThread());
    expect(await actions.access(room(privateThread), ids.adam)).toMatchObject({
      name: "talk",
      open: false,
      write: true,
    });
    expect(await actions.access(room(privateThread), ids.mia)).toBeUndefined();
  });

  it("is not to read a private thread as one of the channel above it", async () => {
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

  it("is not to read another channel as a thread of this one", async () => {
    const { actions, discord } = await rig();
    await discord.say({ user: ids.olivia, channel: ids.announcements, content: "elsewhere" });
    const { messages } = await actions.history(
      { namespace: general, thread: ids.announcements },
      { most: 10 },
    );
    expect(messages).toEqual([]);
  });

  it("is not to write in a locked thread, unless they and the bot manage threads", async () => {
    const { actions } = await rig(withPrivateThread(true));
    expect(await actions.access(room(privateThread), ids.adam)).toMatchObject({ write: false });
  });

  it("is not to write or pin in a timeout", async () => {
    const { actions } = await rig(
      exampleGuild(({ members }) => ({
        everyone: ["ViewChannel", "ReadMessageHistory", "SendMessages", "PinMessages"],
        members: members.map((member) => (member.user === ids.adam ? { ...member, timedOut: true } : member)),
      })),
    );
    expect(await actions.access(general, ids.adam)).toMatchObject({ write: false, pin: false });
    expect(await actions.access(general, ids.mia)).toMatchObject({ write: true, pin: true });
  });

  it("is not to pin with Manage Messages alone", async () => {
    const { actions } = await rig();
    expect(await actions.access(general, ids.mia)).toMatchObject({ pin: false });
  });

  it("is not to read a voice channel that they may not connect to", async () => {
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
