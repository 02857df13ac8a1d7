import { beforeAll, describe, expect, test } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";
import { botMessages } from "../../support/bot/platform-discord.ts";
import { ids } from "../../support/discord/example-world.ts";
import type { InteractionHandle } from "../../support/discord/world/interaction-handle.ts";
import { finished } from "../support/platform-turns.ts";

/** The whole bot in its own process, killed while a person sees “thinking…”. */
const fixture = usePlatformBot();

beforeAll(async () => {
  await fixture().start();
  await fixture().discord.until(({ commands }) => commands.puts > 0);
});

type Request = { method: string; path: string };
const isFilling = ({ method, path }: Request) =>
  method === "PATCH" && /\/messages\/(@|%40)original$/.test(path);
const isCallback = ({ path }: Request) => path.endsWith("/callback");

const enable = (channel: string = ids.general) =>
  fixture().discord.command({
    user: ids.mia,
    channel,
    name: "skill",
    subcommand: "enable",
    options: { skill: "text-analyzer" },
  });
/** Answered to who asks alone, and in one message. */
const list = () =>
  fixture().discord.command({ user: ids.adam, channel: ids.general, name: "agent", subcommand: "list" });
/** What the bot wrote in the channel and directly, and how long its “thinking…” lasts. */
const written = async (handle: InteractionHandle) => {
  const state = await fixture().discord.state();
  const { loading, followups } = await handle.now();
  const dms = state.channels.filter(({ guild }) => guild === null);
  const direct = dms.flatMap(({ id }) => botMessages(state, id));
  return { loading, followups, direct, channel: botMessages(state, ids.general).length };
};

describe("a command whose bot is killed is answered where it was given, once", () => {
  test("a command whose bot is killed before its answer was posted is answered once", async () => {
    const { discord, surfaces, crash } = fixture();
    const lost = surfaces.discord.gate.loseRequest(isFilling);
    const given = await enable();
    await lost;
    await crash();
    expect((await given.answer()).content).toContain("text-analyzer");
    expect(await written(given)).toMatchObject({ loading: false, followups: [], direct: [], channel: 1 });

    const lostAgain = surfaces.discord.gate.loseRequest(isFilling);
    const listed = await list();
    await lostAgain;
    await crash();
    expect(await listed.answer()).toMatchObject({ ephemeralFor: ids.adam });
    expect(await written(listed)).toMatchObject({ followups: [], direct: [], channel: 1 });
    expect((await discord.state()).interactions.some(({ loading }) => loading)).toBe(false);
  });

  test("a command whose bot is killed between posting and recording its answer is answered once", async () => {
    const { discord, surfaces, crash } = fixture();
    const posted = surfaces.discord.gate.loseReply(isFilling);
    const given = await enable(ids.announcements);
    await posted;
    await crash();
    const namespace = `discord:${ids.guild}:${ids.announcements}`;
    await finished(fixture(), { ...surfaces.discord, namespace }, ids.announcements);
    expect(await given.now()).toMatchObject({ loading: false, followups: [] });
    expect(botMessages(await discord.state(), ids.announcements)).toHaveLength(1);
  });

  test("a command whose bot is killed before the command was stored is answered once", async () => {
    const { surfaces, crash } = fixture();
    const acknowledged = surfaces.discord.gate.loseReply(isCallback);
    const given = await list();
    await acknowledged;
    await crash();
    expect(await given.answer()).toMatchObject({ ephemeralFor: ids.adam });
    expect(await written(given)).toMatchObject({ followups: [], direct: [] });
  });
});
