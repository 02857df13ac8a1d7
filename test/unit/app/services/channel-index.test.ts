import { expect, it } from "vitest";
import type { ChatIntake } from "../../../../src/app/chat/chat-intake.ts";
import type { Author } from "../../../../src/core/values/inbound.ts";
import { createFakeChat } from "../../../support/fakes/fake-chat-actions.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";
import { createFakePlatform } from "../../../support/fakes/fake-platform.ts";
import { createMemoryMessageIndex } from "../../../support/fakes/memory-stores.ts";
import { scriptedModel } from "../../../support/models/scripted-model.ts";
import { createTestApp, home } from "../../../support/test-app.ts";

const mia: Author = { id: "U9MIA", name: "Mia", trust: "manager" };
const ann: Author = { id: "U1ANN", name: "Ann", trust: "member" };
const general = "fake:team:general";

function open() {
  const clock = createFakeClock();
  const chat = createFakeChat();
  chat.rooms.push({ namespace: general, name: "general", members: ["U1ANN", "U9MIA"] });
  const platform = Object.assign(createFakePlatform(), { actions: chat });
  const index = createMemoryMessageIndex();
  const app = createTestApp(scriptedModel(["Done."]), { index, clock });
  const intake = app.chat.connect(platform);
  const said = (id: string, text: string, ago = 1_000) => {
    const author = { id: "U1ANN", name: "Ann", bot: false, self: false };
    const link = `https://chat.example/${id}`;
    chat.messages.push({ namespace: general, id, author, text, at: clock.now() - ago, files: [], link });
  };
  const command = (text: string, by = mia) => app.ask(text, { by, namespace: general, thread: "t1" });
  const words = async (...wanted: string[]) =>
    (await index.search(general, { words: wanted, most: 10 })).map(({ reference }) => reference);
  const posted = () =>
    platform
      .visible()
      .filter(({ place }) => place.thread === "channel")
      .map(({ message }) => message.markdown);
  return { app, chat, clock, index, intake, said, command, words, posted };
}

function hear(intake: ChatIntake, id: string, text: string, { edited = false, by_bot = false } = {}) {
  const message = {
    ...{ key: id, id, text, author: "U1ANN", by_bot, said_at: 5, in_thread: false, files: [] },
    place: { namespace: general, thread: id },
    addressed: "none" as const,
    mentions_others: false,
  };
  return edited ? intake.edited({ ...message, edited_at: 6 }) : intake.message(message);
}

it("a manager switches the channel index on, the channel is told, and the index has messages from before and after", async () => {
  const { intake, said, command, words, posted, index } = open();
  said("m1", "The invoice is late");
  await hear(intake, "m0", "before anybody switched it on: invoice");
  expect(await words("invoice")).toEqual([]);
  const { end } = await command("/agent index on");
  expect(end.text).toContain("Mia");
  expect(posted().join()).toContain("/agent index off");
  await expect.poll(() => words("invoice")).toEqual(["m1"]);
  await hear(intake, "m2", "Another invoice");
  await hear(intake, "m3", "An invoice by a bot", { by_bot: true });
  expect(await words("invoice")).toEqual(["m1", "m2"]);
  await hear(intake, "m2", "Another receipt", { edited: true });
  expect(await words("invoice")).toEqual(["m1"]);
  await intake.removed({ key: "m1", place: { namespace: general, thread: "m1" }, id: "m1" });
  expect(await words("invoice")).toEqual([]);
  expect(await index.extent(general)).toMatchObject({ messages: 1 });
});

it("members cannot switch the channel index on, and direct messages and the console cannot have one", async () => {
  const { command, app, posted } = open();
  expect((await command("/agent index on", ann)).end.text).toContain("Managers");
  expect((await app.ask("/agent index on", { ...home })).end.text).toContain("chat platform");
  expect(posted()).toEqual([]);
});

it("the channel index deletes everything when it is switched off and when the bot leaves", async () => {
  for (const end of ["off", "left"]) {
    const { intake, said, command, words, posted, index } = open();
    said("m1", "The invoice is late");
    await command("/agent index on");
    await expect.poll(() => words("invoice")).toEqual(["m1"]);
    if (end === "off") await command("/agent index off");
    else await intake.left(general);
    expect(await index.extent(general)).toEqual({ messages: 0 });
    await hear(intake, "m2", "Another invoice");
    expect(await words("invoice")).toEqual([]);
    if (end === "off") expect(posted().at(-1)).toContain("deleted");
  }
});
