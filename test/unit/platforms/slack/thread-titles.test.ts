import { expect, test } from "vitest";
import type { ChatMessage } from "../../../../src/app/chat/chat-intake.ts";
import { ThreadTitles } from "../../../../src/platforms/slack/channel/thread-titles.ts";
import { createMemoryKeyValue } from "../../../../src/storage/memory-key-value.ts";
import { createFakeClock } from "../../../support/fakes/fake-clock.ts";

test("a thread is named after its first message once, whichever processes hear of its start and of the message", async () => {
  const store = createMemoryKeyValue();
  const clock = createFakeClock();
  const named: string[] = [];
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const name = async (_place: unknown, title: string) => void named.push(title);
  const [one, other] = [1, 2].map(() => new ThreadTitles(store, clock, logger, name));
  const place = { namespace: "slack:T1:dm-U1", thread: "1.2" };
  const said = (text: string) => ({ place, text }) as ChatMessage;

  await other?.said(said("before"));
  await one?.started(place);
  await other?.said(said("  "));
  await Promise.all([one, other].map((each) => each?.said(said("*Plan* the\n `week`"))));
  await one?.said(said("later"));
  expect(named).toEqual(["Plan the week"]);
});
