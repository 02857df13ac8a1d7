import { describe, expect, it } from "vitest";
import { decidersIn } from "../../../../src/platforms/discord/deciders.ts";
import { privateThread, room, useChatRigs, withPrivateThread } from "../../../support/discord/chat-rig.ts";
import { exampleWorld, ids } from "../../../support/discord/example-world.ts";

const rig = useChatRigs();
const general = room(ids.general);

describe("who may decide", () => {
  const asking = { namespace: general, thread: ids.general };

  it("is who manages the channel, as far as Discord tells", async () => {
    const { deps } = await rig();
    const deciders = () => decidersIn({ ...deps, operators: new Set() }, asking, "manager");
    expect(await deciders()).toEqual([ids.olivia]);
    await deps.directory.member(ids.guild, ids.mia);
    await deps.directory.member(ids.guild, ids.adam);
    expect((await deciders()).toSorted()).toEqual([ids.olivia, ids.mia].toSorted());
    const { application, ...world } = exampleWorld();
    const all = await rig({ ...world, application: { ...application, privileged: ["guild_members"] } });
    const listed = await decidersIn({ ...all.deps, operators: new Set() }, asking, "manager");
    expect(listed.toSorted()).toEqual([ids.olivia, ids.mia].toSorted());
  });

  it("is an operator who is in the server", async () => {
    const { deps } = await rig();
    const operators = new Set(["1000000000000000999", ids.adam]);
    expect(await decidersIn({ ...deps, operators }, asking, "operator")).toEqual([ids.adam]);
  });

  it("is nobody outside of a private thread: a mention would bring them in", async () => {
    const { deps } = await rig(withPrivateThread());
    const place = { namespace: room(privateThread), thread: privateThread };
    expect(await decidersIn({ ...deps, operators: new Set([ids.adam]) }, place, "manager")).toEqual([]);
    expect(await decidersIn({ ...deps, operators: new Set([ids.adam]) }, place, "operator")).toEqual([
      ids.adam,
    ]);
  });

  it("is the person themselves in their direct messages", async () => {
    const { deps } = await rig();
    const place = { namespace: `discord:dm:dm-${ids.adam}`, thread: "dm" };
    expect(await decidersIn({ ...deps, operators: new Set() }, place, "manager")).toEqual([ids.adam]);
  });
});
