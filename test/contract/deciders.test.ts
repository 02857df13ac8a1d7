import { describe, expect, it } from "vitest";
import type { Decider } from "../../src/core/chat-platform.ts";
import { createAccess } from "../../src/platforms/discord/channel-access.ts";
import { findDeciders } from "../../src/platforms/discord/deciders.ts";
import { createDirectory } from "../../src/platforms/discord/directory.ts";
import { createDiscordRest } from "../../src/platforms/discord/discord-rest.ts";
import { createPersonDirectory } from "../../src/platforms/slack/person-directory.ts";
import { targetOf } from "../../src/platforms/slack/slack-place.ts";
import { createSingleWorkspace, createWorkspaces } from "../../src/platforms/slack/workspaces.ts";
import { systemClock } from "../../src/wiring/system-clock.ts";
import { startDiscordServer } from "../support/discord/discord-server.ts";
import { exampleToken, exampleWorld, ids } from "../support/discord/example-world.ts";
import { webClient } from "../support/slack/bolt-rig.ts";
import { startSlackServer } from "../support/slack/slack-server.ts";

interface World extends AsyncDisposable {
  /** Who may decide in a channel, or in the direct messages of a member. */
  deciders(where: "open" | "closed" | "direct", approver: "manager" | "operator"): Promise<Decider[]>;
  /** Manages the open channel and is no operator. */
  manager: string;
  /** Operators: one who sees the open channel alone, and one who is nowhere. */
  member: string;
  stranger: string;
}

async function onSlack(): Promise<World> {
  const slack = await startSlackServer();
  const client = async () => webClient(slack);
  const { credentials } = createSingleWorkspace("xoxb-T0ACME-first", client);
  const workspaces = createWorkspaces({ credentials, client, clock: systemClock });
  const directory = createPersonDirectory(workspaces, ["U0NOBODY", "U0STELLA", "U0BEN"], systemClock);
  const channels = { open: "C0GENERAL", closed: "C0PRIVATE", direct: "dm-U0ANNA" };
  return {
    ...{ manager: "U0ANNA", member: "U0BEN", stranger: "U0STELLA" },
    deciders: (where, approver) =>
      directory.deciders(targetOf({ namespace: `slack:T0ACME:${channels[where]}`, thread: "1" }), approver),
    [Symbol.asyncDispose]: () => slack.close(),
  };
}

async function onDiscord(): Promise<World> {
  const closed = "1000000000000000130";
  const { guilds, ...example } = exampleWorld();
  const deny = ["ViewChannel" as const];
  const hidden = { id: closed, name: "board", overwrites: [{ id: ids.guild, kind: "role" as const, deny }] };
  const bot = { id: ids.bot, kind: "member" as const, allow: deny };
  const channel = { ...hidden, overwrites: [...hidden.overwrites, bot] };
  const discord = await startDiscordServer({
    ...example,
    guilds: guilds.map((guild) => ({ ...guild, channels: [...guild.channels, channel] })),
  });
  const rest = createDiscordRest({ token: exampleToken, api: discord.apiUrl });
  const directory = createDirectory(rest);
  const { of: access } = createAccess({ rest, directory });
  const stranger = "1000000000000000299";
  const deps = { rest, directory, actions: { access }, operators: new Set(["U0ANNA", stranger, ids.adam]) };
  const namespaces = {
    open: `discord:${ids.guild}:${ids.general}`,
    closed: `discord:${ids.guild}:${closed}`,
    direct: `discord:dm:dm-${ids.mia}`,
  };
  return {
    // Without the intent for members Discord lists nobody: the owner is known in any case.
    ...{ manager: ids.olivia, member: ids.adam, stranger },
    deciders: (where, approver) =>
      findDeciders(deps, { namespace: namespaces[where], thread: "dm" }, approver),
    async [Symbol.asyncDispose]() {
      rest.stop();
      await discord.close();
    },
  };
}

describe.each([
  ["Slack", onSlack],
  ["Discord", onDiscord],
])("who may decide on %s", (name, open) => {
  it("is who manages the channel and sees it", async () => {
    await using world = await open();
    const found = await world.deciders("open", "manager");
    expect(found).toContainEqual({ id: world.manager, here: true });
    expect(found.map(({ id }) => id)).not.toContain(world.member);
    expect(await world.deciders("direct", "manager")).toEqual([]);
  });

  it("is every operator, those who see the channel first", async () => {
    await using world = await open();
    const [first, ...others] = await world.deciders("open", "operator");
    expect(first).toEqual({ id: world.member, here: true });
    // Slack tells who is of another company and who is unknown: they are nobody's operators.
    const elsewhere = name === "Slack" ? [] : [{ id: world.stranger, here: false }];
    expect(others).toEqual(elsewhere);
  });

  it("is told apart where an operator does not see the channel, or it is somebody's direct messages", async () => {
    await using world = await open();
    for (const where of ["closed", "direct"] as const)
      expect(await world.deciders(where, "operator")).toContainEqual({ id: world.member, here: false });
  });
});
