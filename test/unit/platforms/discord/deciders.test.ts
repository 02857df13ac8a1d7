import { describe, expect, it } from "vitest";
import { decidersIn } from "../../../../src/platforms/discord/channel/deciders.ts";
import { privateThread, room, useChatRigs, withPrivateThread } from "../../../support/discord/chat-rig.ts";
import { exampleWorld, ids } from "../../../support/discord/example-world.ts";

/** Ids in order; in brackets who does not see the place. */
const found = async (...asked: Parameters<typeof decidersIn>) =>
  (await decidersIn(...asked)).map(({ id, here }) => (here ? id : `(${id})`));

const rig = useChatRigs();
const general = room(ids.general);

describe("who may decide", () => {
  const asking = { namespace: general, thread: ids.general };

  it("the deciders are those who manage the channel, as far as Discord tells", async () => {
    const { deps } = await rig();
    const deciders = () => found(deps, new Set(), asking, "manager");
    expect(await deciders()).toEqual([ids.olivia]);
    await deps.directory.member(ids.guild, ids.mia);
    await deps.directory.member(ids.guild, ids.adam);
    expect((await deciders()).toSorted()).toEqual([ids.olivia, ids.mia].toSorted());
    const { application, ...world } = exampleWorld();
    const all = await rig({ ...world, application: { ...application, privileged: ["guild_members"] } });
    const listed = await found(all.deps, new Set(), asking, "manager");
    expect(listed.toSorted()).toEqual([ids.olivia, ids.mia].toSorted());
  });

  it("the deciders are all operators of Discord, those in the server first", async () => {
    const { deps } = await rig();
    const stranger = "1000000000000000999";
    const operators = new Set(["U0ANNA", stranger, ids.adam]);
    expect(await found(deps, operators, asking, "operator")).toEqual([ids.adam, `(${stranger})`]);
    const direct = { namespace: `discord:dm:dm-${ids.mia}`, thread: "dm" };
    expect(await found(deps, operators, direct, "operator")).toEqual([`(${stranger})`, `(${ids.adam})`]);
  });

  it("nobody outside a private thread is a decider, because a mention would add them to it", async () => {
    const { deps } = await rig(withPrivateThread());
    const place = { namespace: room(privateThread), thread: privateThread };
    expect(await found(deps, new Set([ids.adam]), place, "manager")).toEqual([]);
    expect(await found(deps, new Set([ids.adam]), place, "operator")).toEqual([ids.adam]);
  });

  it("the decider in a person's direct messages is the person", async () => {
    const { deps } = await rig();
    const place = { namespace: `discord:dm:dm-${ids.adam}`, thread: "dm" };
    expect(await found(deps, new Set(), place, "manager")).toEqual([ids.adam]);
  });
});
