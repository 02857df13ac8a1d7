import { describe, expect, test } from "vitest";
import { createKeyValueLeases } from "../../../src/storage/key-value-leases.ts";
import { createMemoryKeyValue } from "../../../src/storage/memory-key-value.ts";
import { createMemoryTurnLog } from "../../../src/storage/memory-turn-log.ts";
import { systemClock } from "../../../src/wiring/system-clock.ts";
import type { DiscordServer } from "../../support/discord/discord-server.ts";
import { ids } from "../../support/discord/example-world.ts";
import { createMemoryFileStore } from "../../support/fakes/memory-stores.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { testSkill } from "../../support/skills/test-skill.ts";
import { buttons, type DiscordBotOptions, discordBot, fakeDiscord, said } from "../support/discord-bot.ts";
import { type OpenForProcess, sharedStores } from "../support/shared-stores.ts";

const mention = `<@${ids.bot}>`;
const general = ids.general;
const place = { namespace: `discord:${ids.guild}:${general}`, thread: general };

const skills = [testSkill("greeter", [{ name: "greeter" }])];
const idle = { concurrent: 0, concurrent_commands: 0 };

/** Processes of one bot on the same stores: those that hear Discord and run nothing, and those that run turns and hear nothing. */
function processes(discord: DiscordServer, open: OpenForProcess) {
  const start = async (owner: string, lines: string[], options: DiscordBotOptions) =>
    discordBot(discord, scriptedModel(lines), { ...(await open(owner)), skills, ...options });
  return {
    gateway: () => start("gateway", ["-"], idle),
    async worker(lines = ["-"]) {
      const worker = await start("worker", lines, { receives: false });
      await expect.poll(() => worker.connection.status().ok).toBe(true);
      return {
        ...worker,
        /** Looks for work, once there is a turn. */
        async work() {
          await expect.poll(() => worker.app.log.list({ limit: 1 })).not.toEqual([]);
          await worker.app.say("Look.");
        },
      };
    },
    sender: (owner: string) => start(owner, ["-"], { ...idle, receives: false }),
  };
}

/** Gateways of one bot in this process, in which time can pass for single ones. */
function gateways(discord: DiscordServer) {
  const store = createMemoryKeyValue();
  const shared = { store, log: createMemoryTurnLog(), files: createMemoryFileStore(), skills };
  let passed = 0;
  const storeClock = { steady: () => systemClock.now() + passed };
  const leasesOf = (owner: string) => createKeyValueLeases(store, owner, storeClock);
  const start = (owner: string, options: DiscordBotOptions = idle) =>
    discordBot(discord, scriptedModel([`From ${owner}.`]), {
      ...shared,
      leases: leasesOf(owner),
      ...options,
    });
  return {
    start,
    /** A gateway that a signal stops until `resume`, while 40 seconds pass. */
    stoppable(owner: string) {
      const leases = leasesOf(owner);
      let isStopped = false;
      let missed = 0;
      const acquire = async (name: string, ms: number) => {
        if (isStopped) throw new Error("stopped");
        return leases.acquire(name, ms);
      };
      return {
        options: {
          ...idle,
          leases: { ...leases, acquire },
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

describe.each(sharedStores)("a process that hears and one that answers, on $name", ({ options, create }) => {
  test(
    "a command is answered by another process in place of “thinking…”, and edited by a third one",
    options,
    async () => {
      const discord = await fakeDiscord();
      const { gateway, worker, sender } = processes(discord, create());
      await gateway();
      const { work } = await worker();
      const given = await enableGreeter(discord);
      await work();
      const answer = await given.answer();
      expect(answer).toMatchObject({ ephemeralFor: null, content: expect.stringContaining("greeter") });

      const { platform } = await sender("third");
      const route = "PATCH /webhooks/:application/:token/messages/:message";
      const before = (await discord.calls(route)).length;
      await platform.edit(place, `${general}:${answer.id}`, { markdown: "Changed." });
      expect((await given.now()).original?.content).toBe("Changed.");
      expect(await discord.calls(route)).toHaveLength(before + 1);
      expect(await given.now()).toMatchObject({ loading: false, followups: [] });
    },
  );

  test("a private command is answered by another process to its sender alone", options, async () => {
    const discord = await fakeDiscord();
    const { gateway, worker } = processes(discord, create());
    await gateway();
    const { work } = await worker();
    const command = { user: ids.adam, channel: general, name: "skill", subcommand: "list" };
    const given = await discord.command(command);
    await work();
    expect(await given.answer()).toMatchObject({ ephemeralFor: ids.adam });
    expect(said(await discord.state(), general)).toBeUndefined();
  });

  test(
    "a process that only sends opens no session and registers no commands, and its buttons are pressed elsewhere",
    options,
    async () => {
      const discord = await fakeDiscord();
      const { gateway, worker } = processes(discord, create());
      const { work, connection } = await worker(["Answer."]);
      expect(connection.status().detail).toMatch(/^sends only, as /);
      expect(await discord.state()).toMatchObject({ identified: [], commands: { puts: 0 } });

      await gateway();
      const id = await discord.say({ user: ids.mia, channel: general, content: `${mention} hello?` });
      await work();
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
    },
  );
});

test("an approval that was never posted is not taken for another one of its turn", async () => {
  const { start } = gateways(await fakeDiscord());
  const { platform } = await start("one");
  const turn_id = "00000000-0000-4000-8000-000000000000";
  const tag = (part: number) => ({ turn_id, purpose: "approval", part }) as const;
  const action = { role: "decide", approval_id: `${turn_id}:1`, verdict: "once" } as const;
  const card = { markdown: "May I?", tag: tag(0), buttons: [{ action, label: "Approve" }] };
  const posted = await platform.post(place, card);
  expect(await platform.find(place, tag(0))).toBe(posted);
  expect(await platform.find(place, tag(1))).toBeUndefined();
});

test("an approval whose sender died before it was answered is found, and stays that one when it changes", async () => {
  const discord = await fakeDiscord();
  const { start } = gateways(discord);
  const { platform } = await start("one");
  const turn_id = "00000000-0000-4000-8000-000000000000";
  const tag = (part: number) => ({ turn_id, purpose: "approval", part }) as const;
  const action = { role: "decide", approval_id: `${turn_id}:1`, verdict: "once" } as const;
  const card = { markdown: "May I?", tag: tag(0), buttons: [{ action, label: "Approve" }] };
  await discord.drop({ route: `POST /channels/${general}/messages`, times: 20, after: true });
  await expect(platform.post(place, card)).rejects.toThrow();
  const found = await platform.find(place, tag(0));
  await platform.edit(place, found ?? "", { ...card, markdown: "May I, please?" });
  expect(await platform.find(place, tag(1))).toBeUndefined();
  expect(await platform.find(place, tag(0))).toBe(found);
});

test("a command that another process finds nothing about is answered by an ordinary message", async () => {
  const discord = await fakeDiscord();
  const { start } = gateways(discord);
  const { app } = await start("one");
  await enableGreeter(discord);
  await expect.poll(() => app.log.list({ limit: 1 })).toHaveLength(1);
  for await (const key of app.store.keys("sealed:interactions")) await app.store.delete(key);
  await start("two", { receives: false });
  const [answer] = await discord.until((state) => said(state, general));
  expect(answer).toMatchObject({ interaction: null, content: expect.stringContaining("greeter") });
});

test("a process that only sends reports a wrong token with where to get the right one", async () => {
  const settings = { token: "MTAwMDAwMDAwMDAwMDAwMDAwMQ.wrong.token" };
  const { connection } = await gateways(await fakeDiscord()).start("one", { settings, receives: false });
  await expect.poll(() => connection.status().detail).toContain("developer portal");
  expect(connection.status().ok).toBe(false);
});

describe("several gateways", () => {
  test("several gateways share the shards, and one takes over what another left", async () => {
    const discord = await fakeDiscord({ shards: 2 });
    const { start } = gateways(discord);
    const one = await start("one");
    const two = await start("two", { ...idle, unconnected: true });
    const shards = async () => {
      const { sessions } = await discord.state();
      return sessions.flatMap(({ connected, shard }) => (connected ? [shard] : [])).sort();
    };
    const isShared = () =>
      [one, two].every(({ connection }) => connection.status().detail.startsWith("connected as"));
    await expect.poll(isShared, { timeout: 20_000 }).toBe(true);
    expect(await shards()).toEqual([0, 1]);

    await one.stop();
    await expect.poll(shards).toEqual([1]);
    await expect.poll(shards, { timeout: 20_000 }).toEqual([0, 1]);
    await expect.poll(() => two.connection.status().ok).toBe(true);
  });

  test("a gateway without a shard stands by, and all is well with it", async () => {
    const discord = await fakeDiscord();
    const { start } = gateways(discord);
    await start("one");
    const { connection } = await start("two", { ...idle, unconnected: true });
    await expect.poll(() => connection.status().detail).toContain("stands by");
    expect(connection.status().ok).toBe(true);
    expect((await discord.state()).identified).toHaveLength(1);
  });

  test("a gateway that was stopped while its lease expired hears nothing more, and closes its connection", async () => {
    const discord = await fakeDiscord();
    const { stoppable, start } = gateways(discord);
    const stopped = stoppable("one");
    const heard: string[] = [];
    const hears = { message: async ({ text }: { text: string }) => void heard.push(text) };
    const one = await start("one", { ...stopped.options, hears });
    await discord.say({ user: ids.adam, channel: general, content: `${mention} first` });
    await expect.poll(() => heard).toEqual(["first"]);

    stopped.stop();
    await start("two", {});
    stopped.resume();
    const id = await discord.say({ user: ids.adam, channel: general, content: `${mention} second` });

    const [answer] = await discord.until((state) => said(state, id));
    expect(answer?.content).toBe("From two.");
    await expect.poll(() => one.connection.status().detail).toContain("stands by");
    // A fetch of missed messages may hand the first one in again, which the intake recognises.
    expect(heard).not.toContain("second");
    expect((await discord.state()).sessions.filter(({ connected }) => connected)).toHaveLength(1);
  });

  test("a command that a gateway acknowledged and lost is handed in by the one that takes its shard, once", async () => {
    const discord = await fakeDiscord();
    const { stoppable, start } = gateways(discord);
    const stopped = stoppable("one");
    const lost = Promise.withResolvers<void>();
    await start("one", { ...stopped.options, hears: { command: () => lost.promise } });
    const given = await enableGreeter(discord);
    await given.callback();

    stopped.stop();
    await start("two", {});
    expect((await given.answer()).content).toContain("greeter");
    stopped.resume();
    lost.resolve();
    expect(await given.now()).toMatchObject({ loading: false, followups: [] });
  });
});
