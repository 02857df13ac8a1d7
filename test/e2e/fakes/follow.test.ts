import { expect, it } from "vitest";
import { follow, within } from "../../support/follow.ts";
import { scriptedModel } from "../../support/models/scripted-model.ts";
import { createTestApp } from "../../support/test-app.ts";

it("a wait that runs out fails its test with what did not come", async () => {
  const gateway = createTestApp(scriptedModel(["Done."]), { runsTurns: false });
  const turn = await gateway.say("hello");
  await expect(Array.fromAsync(follow(gateway.app, turn, { ms: 50 }))).rejects.toThrow(/the end of .*after/);
  await expect(Array.fromAsync(follow(gateway.app, "none"))).rejects.toThrow("no turn none");
  const heard: unknown[] = [];
  const watching = within(
    "an event",
    async (signal) => {
      for await (const item of await gateway.app.watch("console:local:quiet", signal)) heard.push(item);
    },
    50,
  );
  await expect(watching).rejects.toThrow("Waited 50 ms in vain for an event");
  expect(heard).toEqual([]);
});
