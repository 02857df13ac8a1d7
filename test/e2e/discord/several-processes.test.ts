import { describe, expect, test } from "vitest";
import type { Model } from "../../../src/core/ports/model.ts";
import { createKeyValueLeases } from "../../../src/storage/key-value-leases.ts";
import { createMemoryFileStore } from "../../../src/storage/memory-file-store.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../src/storage/memory-turn-log.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import type { DiscordServer } from "../../support/discord/discord-server.ts";
import { ids } from "../../support/discord/example-world.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import {
  buttons,
  type DiscordBot,
  type DiscordBotOptions,
  discordBot,
  fakeDiscord,
  said,
} from "../support/discord-bot.ts";

const mention = `<@${ids.bot}>`;
const general = ids.general;
const place = { namespace: `discord:${ids.guild}:${general}`, thread: general };

/** Processes of one bot, on one store. */
function processes(discord: DiscordServer) {
  const store = createMemoryKeyValue();
  const shared = { store, log: createMemoryTurnLog(), files: createMemoryFileStore() };
  const skills = [testSkill("greeter", [{ name: "greeter" }])];
  let passed = 0;
  const storeClock = { steady: () => systemClock.now() + passed };
  const leasesOf = (owner: string) => createKeyValueLeases(store, owner, storeClock);
  const start = (owner: string, lines: string[], options: DiscordBotOptions = {}): Promise<DiscordBot> => {
    const model: Model = scriptedModel(lines);
    return discordBot(discord, model, { ...shared, skills, leases: leasesOf(owner), ...options });
  };
  const idle = { concurrent: 0, concurrent_commands: 0 };
  return {
    store,
    start,
    /** Hears Discord, and runs nothing. */
    gateway: (owner = "gateway", options: DiscordBotOptions = {}) =>
      start(owner, ["-"], { ...idle, ...options }),
    /** Runs turns, and hears nothing. It starts when there is a turn. */
    async worker(lines = ["-"]) {
      await expect.poll(() => shared.log.list({ limit: 1 })).not.toEqual([]);
      const bot = await start("worker", lines, { receives: false });
      await expect.poll(() => bot.connection.status().ok).toBe(true);
      return bot;
    },
    /** Options of a process that a signal stops until `resume`, while 40 seconds pass. */
    stoppable(owner: string) {
      const leases = leasesOf(owner);
      let isStopped = false;
      let missed = 0;
      return {
        options: {
          leases: {
            ...leases,
            acquire: async (name: string, ms: number) => {
              if (isStopped) throw new Error("stopped");
              return leases.acquire(name, ms);
            },
          },
          clock: { ...systemClock, now: () => systemClock.now() + missed },
        } satisfies DiscordBotOptions,
        stop() {
          isStopped = true;
          passed += 40_000;
        },
        resume() {
          isStopped = false;
          missed += 40_000;
        },
      };
    },
  };
}

const enableGreeter = (discord: DiscordServer) =>
  discord.command({
    user: ids.mia,
    channel: general,
    name: "skill",
    subcommand: "enable",
    options: { skill: "greeter" },
  });

describe("a process that hears and one that answers", () => {
  test("a command is answered by another process in place of “thinking…”, and edited by a third one", async () => {
    const discord = await fakeDiscord();
    const { gateway, worker, start } = processes(discord);
    await gateway();
    const given = await enableGreeter(discord);
    await worker();
    const answer = await given.answer();
    expect(answer).toMatchObject({ ephemeralFor: null, content: expect.stringContaining("greeter") });

    const { platform } = await start("third", ["-"], { receives: false });
    const route = "PATCH /webhooks/:application/:token/messages/:message";
    const before = (await discord.calls(route)).length;
    await platform.edit(place, `${general}:${answer.id}`, { markdown: "Changed." });
    expect((await given.now()).original?.content).toBe("Changed.");
    expect(await discord.calls(route)).toHaveLength(before + 1);
    expect(await given.now()).toMatchObject({ loading: false, followups: [] });
  });

  test("a private command is answered by another process to its sender alone", async () => {
    const discord = await fakeDiscord();
    const { gateway, worker } = processes(discord);
    await gateway();
    const command = { user: ids.adam, channel: general, name: "skill", subcommand: "list" };
    const given = await discord.command(command);
    await worker();
    expect(await given.answer()).toMatchObject({ ephemeralFor: ids.adam });
    expect(said(await discord.state(), general)).toBeUndefined();
  });

  test("a command that another process finds nothing about is answered by an ordinary message", async () => {
    const discord = await fakeDiscord();
    const { gateway, worker, store } = processes(discord);
    await gateway();
    await enableGreeter(discord);
    await expect.poll(() => Array.fromAsync(store.keys("sealed:interactions"))).toHaveLength(1);
    for await (const key of store.keys("sealed:interactions")) await store.delete(key);
    await worker();
    const [answer] = await discord.until((state) => said(state, general));
    expect(answer).toMatchObject({ interaction: null, content: expect.stringContaining("greeter") });
  });

  test("a process that only sends opens no session and registers no commands, and its buttons are pressed elsewhere", async () => {
    const discord = await fakeDiscord();
    const { gateway, worker, start } = processes(discord);
    const early = await start("early", ["-"], { receives: false, concurrent: 0 });
    await expect.poll(() => early.connection.status().detail).toMatch(/^sends only, as /);
    expect(await discord.state()).toMatchObject({ identified: [], commands: { puts: 0 } });

    await gateway();
    const id = await discord.say({ user: ids.mia, channel: general, content: `${mention} hello?` });
    await worker(["Answer."]);
    const [answer] = await discord.until((state) => {
      const found = said(state, id);
      return found?.[0]?.components.length ? found : undefined;
    });
    const message = answer?.id ?? "";
    const customId = (answer && buttons(answer).find(({ label }) => label === "Delete")?.custom_id) ?? "";
    const wrong = await discord.click({ user: ids.adam, message, customId });
    await wrong.until(({ followups }) => followups[0]?.ephemeralFor === ids.adam);
    await discord.click({ user: ids.mia, message, customId });
    await discord.until((state) => said(state, id) === undefined);
    expect((await discord.state()).identified).toHaveLength(1);
  });

  test("a process that only sends reports a wrong token with where to get the right one", async () => {
    const discord = await fakeDiscord();
    const settings = { token: "MTAwMDAwMDAwMDAwMDAwMDAwMQ.wrong.token" };
    const { connection } = await processes(discord).start("worker", ["-"], { settings, receives: false });
    await expect.poll(() => connection.status().detail).toContain("developer portal");
    expect(connection.status().ok).toBe(false);
  });
});

describe("several gateways", () => {
  test("several gateways share the shards, and one takes over what another left", async () => {
    const discord = await fakeDiscord({ shards: 2 });
    const { gateway } = processes(discord);
    const one = await gateway("one");
    const two = await gateway("two", { unconnected: true });
    const connected = () => discord.state().then(({ sessions }) => sessions.filter((each) => each.connected));
    const ok = () => [one, two].every(({ connection }) => connection.status().ok);
    await expect.poll(async () => (await connected()).length === 2 && ok(), { timeout: 20_000 }).toBe(true);
    await expect
      .poll(async () => (await connected()).map(({ shard }) => shard).sort(), { timeout: 20_000 })
      .toEqual([0, 1]);
    await expect.poll(() => two.connection.status().detail, { timeout: 20_000 }).toContain("connected as");
    const before = await connected();

    await one.stop();

    await expect.poll(async () => (await connected()).length, { timeout: 20_000 }).toBe(2);
    expect((await connected()).some(({ id }) => before.every((each) => each.id !== id))).toBe(true);
    await expect.poll(() => two.connection.status(), { timeout: 20_000 }).toMatchObject({ ok: true });
  });

  test("a gateway without a shard stands by, and all is well with it", async () => {
    const discord = await fakeDiscord();
    const { gateway } = processes(discord);
    await gateway("one");
    const { connection } = await gateway("two", { unconnected: true });
    await expect.poll(() => connection.status().detail).toContain("stands by");
    expect(connection.status().ok).toBe(true);
    expect((await discord.state()).identified).toHaveLength(1);
  });

  test("a gateway that was stopped while its lease expired hears nothing more, and closes its connection", async () => {
    const discord = await fakeDiscord();
    const { stoppable, gateway, start } = processes(discord);
    const stopped = stoppable("one");
    const heard: string[] = [];
    const hears = { message: async ({ text }: { text: string }) => void heard.push(text) };
    const one = await gateway("one", { ...stopped.options, hears });
    await discord.say({ user: ids.adam, channel: general, content: `${mention} first` });
    await expect.poll(() => heard).toEqual(["first"]);

    stopped.stop();
    await start("two", ["From two."]);
    stopped.resume();
    const id = await discord.say({ user: ids.adam, channel: general, content: `${mention} second` });

    const [answer] = await discord.until((state) => said(state, id));
    expect(answer?.content).toBe("From two.");
    await expect.poll(() => one.connection.status().detail).toContain("stands by");
    expect(heard).toEqual(["first"]);
    expect((await discord.state()).sessions.filter(({ connected }) => connected)).toHaveLength(1);
  });

  test("a command that a gateway acknowledged and lost is handed in by the one that takes its shard, once", async () => {
    const discord = await fakeDiscord();
    const { stoppable, gateway, start } = processes(discord);
    const stopped = stoppable("one");
    const lost = Promise.withResolvers<void>();
    await gateway("one", { ...stopped.options, hears: { command: () => lost.promise } });
    const given = await enableGreeter(discord);
    await given.callback();

    stopped.stop();
    await start("two", ["-"]);
    expect((await given.answer()).content).toContain("greeter");
    stopped.resume();
    lost.resolve();
    expect(await given.now()).toMatchObject({ loading: false, followups: [] });
  });
});
