import { expect, test } from "vitest";
import { channelThread } from "../../../../src/core/ports/chat-platform.ts";
import { whoIs } from "../../../../src/platforms/discord/channel/who-is.ts";
import { room, useChatRigs } from "../../../support/discord/chat-rig.ts";
import { exampleWorld, ids } from "../../../support/discord/example-world.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";

const rig = useChatRigs();
const general = room(ids.general);

test("a process that hears no events reads the names of channels and roles, and asks for them once", async () => {
  const { actions, discord } = await rig();
  const content = `<@&${ids.onCall}>, see <#${ids.announcements}>`;
  await discord.say({ user: ids.adam, channel: ids.general, content });
  for (let times = 0; times < 2; times += 1) {
    const { messages } = await actions.history({ namespace: general, thread: channelThread }, { most: 1 });
    expect(messages.map(({ text }) => text)).toEqual(["@oncall, see #announcements"]);
  }
  expect(await discord.calls("GET /guilds/:guild/channels")).toHaveLength(1);
});

test("a process that hears no events learns of withdrawn rights after a minute", async () => {
  const clock = createFakeClock();
  const { deps, discord } = await rig(exampleWorld(), clock);
  const trust = async () => {
    const place = { namespace: general, thread: ids.general };
    return (await whoIs(deps.directory, new Set(), place, ids.mia)).trust;
  };
  expect(await trust()).toBe("manager");
  await discord.setRoles({ guild: ids.guild, user: ids.mia, roles: [] });
  expect(await trust()).toBe("manager");
  clock.advance(60_001);
  expect(await trust()).toBe("member");
});

test("a process that hears no events finds a thread that another process begins", async () => {
  const clock = createFakeClock();
  const { deps, discord } = await rig(exampleWorld(), clock);
  const message = await discord.say({ user: ids.adam, channel: ids.general, content: "hello" });
  const place = { namespace: general, thread: message };
  expect(await deps.targets.look(place)).toMatchObject({ channel: ids.general, root: message });
  await discord.startThread({ user: ids.adam, channel: ids.general, name: "hello", message });

  clock.advance(60_001);
  expect(await deps.targets.look(place)).toMatchObject({ channel: message, root: undefined });
});
