import { describe, expect, it } from "vitest";
import { PlatformError } from "../../../../src/core/ports/chat-platform.ts";
import type { Author } from "../../../../src/core/values/inbound.ts";
import { createFakePlatform } from "../../../support/fakes/fake-platform.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { createTestApp } from "../../../support/test-app.ts";

const omar: Author = { id: "operator", name: "operator", trust: "operator" };
const mia: Author = { id: "U9MIA", name: "Mia", trust: "manager" };
const general = "fake:team:general";

function createBot() {
  const platform = createFakePlatform();
  const app = createTestApp(scriptedModel([]));
  app.chat.connect(platform);
  const send = (input: object, by = omar) =>
    app.app.run("message.send", {
      input: { namespace: general, text: "The build is red.", ...input },
      asker: { by, namespace: general },
    });
  const posted = () => platform.visible().map(({ place, message }) => [place.thread, message.markdown]);
  return { platform, send, posted };
}

describe("a message that a program sends", () => {
  it("a program's message is posted in the channel, or in a thread of it, and calls nobody", async () => {
    const { send, posted, platform } = createBot();
    expect(await send({})).toMatchObject({ ok: true, value: { reference: expect.any(String) } });
    await send({ thread: "12.5", text: "It is green." });
    expect(posted()).toEqual([
      ["channel", "The build is red."],
      ["12.5", "It is green."],
    ]);
    expect(platform.visible().map(({ message }) => message.calls)).toEqual([undefined, undefined]);
  });

  it("a program's message is posted once under its key, and again without one", async () => {
    const { send, posted } = createBot();
    const [first, second] = [await send({ key: "build-7" }), await send({ key: "build-7" })];
    expect(second).toEqual(first);
    await send({});
    expect(posted()).toHaveLength(2);
  });

  it.each([
    ["by who does not run the bot", {}, mia, 403, "Only operators of the bot"],
    ["to a place of no connected platform", { namespace: "slack:T1:C1" }, omar, 400, "doctor --live"],
    ["that is longer than a message there", { text: "x".repeat(2_001) }, omar, 413, "allows 2000"],
    ["without words", { text: " " }, omar, 400, "text"],
  ])("a program's message is refused: %s", async (_name, input, by, status, said) => {
    const { send, posted } = createBot();
    const outcome = await send(input, by);
    expect(outcome).toMatchObject({ ok: false, status });
    expect(JSON.stringify(outcome)).toContain(said);
    expect(posted()).toEqual([]);
  });

  it("a program's message gets the platform's reason when it is refused", async () => {
    const { send, platform } = createBot();
    platform.fail("post", new PlatformError("forbidden", "I may not write there."));
    expect(await send({})).toEqual({ ok: false, status: 403, message: "I may not write there." });
  });
});
