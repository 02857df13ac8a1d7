import { describe, expect, it } from "vitest";
import { wordsIn } from "../../support/bot/stored-bytes.ts";
import { stores } from "../support/stores.ts";
import { ended } from "../support/turns.ts";
import { useBot } from "../support/use-bot.ts";

describe.each(stores)("a bot on $name", (store) => {
  const bot = useBot({ env: () => ({ KNACK_MODEL: "offline" }), store });

  it("forgetting leaves no byte of a person, while the bot runs and while it does not", async () => {
    const { home } = bot();
    const left = async (words: string[]) => [
      ...(await wordsIn(home.data, words)),
      ...(await store.tablesWith(words)),
    ];
    const running = await home.start();
    for (const user of ["carolheliotrope", "doraheliotrope"]) {
      const content = new Blob([`a file of ${user}`]);
      const message = { namespace: "web:sole", thread: user.slice(0, 4), text: `words of ${user}`, user };
      const { turn_id } = await running.client.submitTurn(message, [{ name: `${user}.txt`, content }]);
      await ended(running.client, turn_id);
    }
    const beside = await home.run(["forget", "--user", "carolheliotrope"]);
    expect([beside.code, beside.stdout]).toEqual([
      0,
      expect.stringContaining(
        "Deleted of web:sole:carolheliotrope:\n- their messages, with answers and files: 1",
      ),
    ]);
    expect(await left(["carolheliotrope"])).toEqual([]);
    expect(await left(["doraheliotrope"])).not.toEqual([]);
    expect(await running.terminate()).toBe(0);
    const alone = await home.run(["forget", "--user", "doraheliotrope"]);
    expect(alone.code).toBe(0);
    expect(await left(["carolheliotrope", "doraheliotrope"])).toEqual([]);
    const again = await home.run(["forget", "--user", "doraheliotrope"]);
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining("Nothing that doraheliotrope said or changed is stored."),
    ]);
  });
});
