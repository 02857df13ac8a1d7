import { beforeAll, expect, test } from "vitest";
import { usePlatformBot } from "../../support/bot/platform-bot.ts";

const bot = usePlatformBot();

beforeAll(async () => {
  await bot().start();
});

test.each(["slack", "discord"] as const)(
  "a script's message is said on %s, once under its key",
  async (name) => {
    const { home, surfaces, slack, discord } = bot();
    const words = `The build of ${name} is red.`;
    const send = ["message", "send", "--namespace", surfaces[name].namespace, "--key", "build-7", words];
    const first = await home.run(send);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Posted: \S+/) });
    expect((await home.run([...send, "--json"])).code).toBe(0);
    const posted =
      name === "slack"
        ? (await slack.look()).all.messages.filter(({ text }) => text.includes(words))
        : (await discord.state()).messages.filter(({ content }) => content === words);
    expect(posted).toHaveLength(1);
  },
);

test.each([
  ["no place", [], 2, "--namespace"],
  ["a place of no connected platform", ["--namespace", "console:local:dm"], 1, "doctor --live"],
])("a message to %s is refused with what to do", async (_name, place, exit, said) => {
  const { code, stderr } = await bot().home.run(["message", "send", "The build is red.", ...place]);
  expect(code).toBe(exit);
  expect(stderr).toContain(said);
});
